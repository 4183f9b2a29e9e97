#pragma once
// mallopt(3), epoll(7), eventfd(2) and setfsuid(2) are not in Swift's Glibc module; prctl(2) is, but it is variadic.
#include <malloc.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>

static inline int marquee_prctl(int option, unsigned long value) {
    return prctl(option, value, 0UL, 0UL, 0UL);
}
