// Moves a process's calendar clock by TEST_CLOCK: a number of seconds, or the path of a file that holds one (int64_t), which
// may change at any time. Other clocks stay, and so does time(), by which OpenSSL reads certificates.
//
// cc -shared -fPIC -o clock.so clock.c, and LD_PRELOAD it. libfaketime cannot be used: it moves the environment, behind
// which Swift finds a process's arguments.
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int64_t given;
static const volatile int64_t *offset = &given;

__attribute__((constructor)) static void open_clock(void) {
    const char *text = getenv("TEST_CLOCK");
    if (!text) return;
    if (*text != '/') {
        given = atoll(text);
        return;
    }
    int file = open(text, O_RDONLY | O_CLOEXEC);
    if (file < 0) abort();
    void *page = mmap(NULL, sizeof *offset, PROT_READ, MAP_SHARED, file, 0);
    if (page == MAP_FAILED) abort();
    offset = page;
    close(file);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = (int)syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += *offset;
    return result;
}

// Chromium reads the calendar by it.
int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    int result = (int)syscall(SYS_gettimeofday, now, zone);
    if (result == 0) now->tv_sec += *offset;
    return result;
}
