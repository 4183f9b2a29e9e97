#pragma once
// mallopt(3), eventfd(2) and setfsuid(2) are not in Swift's Glibc module; prctl(2) is, but it is variadic.
#include <malloc.h>
#include <sys/eventfd.h>
#include <sys/fsuid.h>
// seccomp(2), prctl(2), close_range(2) and memfd_create(2): variadic, or without a function in the C library.
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline int marquee_prctl(int option, unsigned long value) { return prctl(option, value, 0UL, 0UL, 0UL); }

static inline int marquee_seccomp_filter(struct sock_fprog *program) {
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, program);
}

static inline int marquee_close_from(int descriptor) { return (int)syscall(SYS_close_range, descriptor, ~0U, 0); }

static inline int marquee_memfd_create(const char *name) {
    return (int)syscall(SYS_memfd_create, name, 1UL);  // MFD_CLOEXEC
}

// The number of this machine's table of system calls, as a seccomp filter sees it.
static inline unsigned int marquee_audit_architecture(void) {
#if defined(__x86_64__)
    return AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
    return AUDIT_ARCH_AARCH64;
#else
#error "the number of this machine's system call table is not known"
#endif
}
