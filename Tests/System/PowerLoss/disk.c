// Journals what a process writes below a folder, for disk.py, which makes the disk after a power loss from the journal.
//
// cc -shared -fPIC -o disk.so disk.c, and LD_PRELOAD it. Every call is made, and a record of it is appended to the journal
// before it is made, with an undo record after a call that failed; only a sync is recorded afterwards, and not made. All
// that a process must not rely on is so known: what was written and not synced. Files named *-shm are left out: SQLite
// maps them into memory and makes them again after a crash.
//
// DISK_FOLDER is the folder, DISK_JOURNAL the journal, DISK_CONTROL a file with a struct control.
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

// The faults that disk.py sets, for files whose names match the pattern (fnmatch); `left` calls fail, all if it is
// negative. The syncs of files that match `ignored` succeed without being recorded, as on a disk that lies.
struct control {
    int32_t write_error, writes_left, sync_error, syncs_left, sync_delay_ms;
    char names[44], ignored[16];
};

// A record: this, the names, the data.
struct record {
    uint32_t kind, process;
    uint64_t inode;
    int64_t offset;  // of a write; the new size of a file; for a sync, the length of the journal when it began
    uint32_t name_length, other_length;
    uint64_t length;
};

enum { CREATE = 1, WRITE, TRUNCATE, SYNC, FAILED_SYNC, RENAME, LINK, UNLINK, MAKE_FOLDER, UNDO };

static char folder[PATH_MAX];
static size_t folder_length;
static int journal = -1;
static struct control *control;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void start(void) {
    const char *path = getenv("DISK_JOURNAL"), *control_path = getenv("DISK_CONTROL"), *name = getenv("DISK_FOLDER");
    if (!path || !control_path || !name || !realpath(name, folder)) return;
    folder_length = strlen(folder);
    int file = (int)syscall(SYS_openat, AT_FDCWD, control_path, O_RDWR | O_CLOEXEC, 0);
    void *page = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (page == MAP_FAILED) abort();
    control = page;
    syscall(SYS_close, file);
    journal = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CLOEXEC, 0);
    if (journal < 0) abort();
}

// MARK: - Names

// Returns the name of a path below the folder, "." for the folder; NULL if it is elsewhere or left out.
static const char *name_of(const char *path) {
    if (journal < 0 || !path || strncmp(path, folder, folder_length) != 0) return NULL;
    const char *rest = path + folder_length;
    if (*rest == 0) return ".";
    size_t length = strlen(rest);
    if (*rest != '/' || (length > 4 && strcmp(rest + length - 4, "-shm") == 0)) return NULL;
    return rest + 1;
}

// Returns the name of an open file or folder, with its state.
static const char *name_of_open(int file, char path[PATH_MAX], struct stat *state) {
    if (journal < 0 || fstat(file, state) != 0 || !(S_ISREG(state->st_mode) || S_ISDIR(state->st_mode))) return NULL;
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0) return NULL;
    path[length] = 0;
    return name_of(path);
}

// MARK: - Records

static void append(uint32_t kind, uint64_t inode, int64_t offset, const char *name, const char *other, const void *data,
                   size_t length) {
    struct record record = {kind, (uint32_t)getpid(), inode, offset, name ? (uint32_t)strlen(name) : 0,
                            other ? (uint32_t)strlen(other) : 0, length};
    struct iovec parts[] = {{&record, sizeof record},
                            {(void *)name, record.name_length},
                            {(void *)other, record.other_length},
                            {(void *)data, length}};
    ssize_t size = (ssize_t)(sizeof record + record.name_length + record.other_length + length);
    if (syscall(SYS_writev, journal, parts, 4) != size) abort();  // a journal with a hole would prove nothing
}

// Ends a recorded call: takes the record back if the call failed.
static long finish(long result) {
    int status = errno;
    if (result < 0) append(UNDO, 0, 0, NULL, NULL, NULL, 0);
    pthread_mutex_unlock(&mutex);
    errno = status;
    return result;
}

// Returns whether a call fails by a fault, and counts it.
static int fails(const char *name, int32_t error, int32_t *left) {
    if (__atomic_load_n(left, __ATOMIC_SEQ_CST) == 0 || fnmatch(control->names, name, 0) != 0) return 0;
    if (*left > 0) __atomic_sub_fetch(left, 1, __ATOMIC_SEQ_CST);
    errno = error;
    return 1;
}

// MARK: - Files

static int open_file(int at, const char *path, int flags, mode_t mode) {
    if (journal < 0 || !(flags & (O_CREAT | O_TRUNC))) return (int)syscall(SYS_openat, at, path, flags, mode);
    pthread_mutex_lock(&mutex);
    struct stat before, state;
    int existed = fstatat(at, path, &before, 0) == 0;
    int file = (int)syscall(SYS_openat, at, path, flags, mode), status = errno;
    char place[PATH_MAX];
    const char *name = file < 0 ? NULL : name_of_open(file, place, &state);
    if (name && !existed) append(CREATE, state.st_ino, 0, name, NULL, NULL, 0);
    if (name && existed && before.st_size > 0 && flags & O_TRUNC) append(TRUNCATE, state.st_ino, 0, name, NULL, NULL, 0);
    pthread_mutex_unlock(&mutex);
    errno = status;
    return file;
}

#define MODE_ARGUMENT(flags, mode)                            \
    mode_t mode = 0;                                          \
    if ((flags) & (O_CREAT | O_TMPFILE)) {                    \
        va_list arguments;                                    \
        va_start(arguments, flags);                           \
        mode = (mode_t)va_arg(arguments, int);                \
        va_end(arguments);                                    \
    }

int open(const char *path, int flags, ...) {
    MODE_ARGUMENT(flags, mode)
    return open_file(AT_FDCWD, path, flags, mode);
}

int openat(int at, const char *path, int flags, ...) {
    MODE_ARGUMENT(flags, mode)
    return open_file(at, path, flags, mode);
}

int creat(const char *path, mode_t mode) { return open_file(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int open64(const char *, int, ...) __attribute__((alias("open")));
int openat64(int, const char *, int, ...) __attribute__((alias("openat")));
int creat64(const char *, mode_t) __attribute__((alias("creat")));
int __open_2(const char *path, int flags) { return open_file(AT_FDCWD, path, flags, 0); }
int __open64_2(const char *path, int flags) { return open_file(AT_FDCWD, path, flags, 0); }

ssize_t pwrite(int file, const void *data, size_t length, off_t offset) {
    char path[PATH_MAX];
    struct stat state;
    const char *name = name_of_open(file, path, &state);
    if (!name) return syscall(SYS_pwrite64, file, data, length, offset);
    if (fails(name, control->write_error, &control->writes_left)) return -1;
    pthread_mutex_lock(&mutex);
    append(WRITE, state.st_ino, offset, name, NULL, data, length);
    return finish(syscall(SYS_pwrite64, file, data, length, offset));
}

ssize_t pwrite64(int, const void *, size_t, off_t) __attribute__((alias("pwrite")));

ssize_t write(int file, const void *data, size_t length) {
    char path[PATH_MAX];
    struct stat state;
    const char *name = name_of_open(file, path, &state);
    if (!name) return syscall(SYS_write, file, data, length);
    if (fails(name, control->write_error, &control->writes_left)) return -1;
    pthread_mutex_lock(&mutex);
    off_t offset = lseek(file, 0, fcntl(file, F_GETFL) & O_APPEND ? SEEK_END : SEEK_CUR);
    append(WRITE, state.st_ino, offset, name, NULL, data, length);
    return finish(syscall(SYS_write, file, data, length));
}

int ftruncate(int file, off_t size) {
    char path[PATH_MAX];
    struct stat state;
    const char *name = name_of_open(file, path, &state);
    if (!name) return (int)syscall(SYS_ftruncate, file, size);
    pthread_mutex_lock(&mutex);
    append(TRUNCATE, state.st_ino, size, name, NULL, NULL, 0);
    return (int)finish(syscall(SYS_ftruncate, file, size));
}

int ftruncate64(int, off_t) __attribute__((alias("ftruncate")));

// MARK: - Syncs

int fsync(int file) {
    char path[PATH_MAX];
    struct stat state, length;
    const char *name = name_of_open(file, path, &state);
    if (!name) return (int)syscall(SYS_fsync, file);
    fstat(journal, &length);  // what comes during the sync is not synced
    int32_t delay = __atomic_load_n(&control->sync_delay_ms, __ATOMIC_SEQ_CST);
    if (delay > 0) nanosleep(&(struct timespec){delay / 1000, delay % 1000 * 1000000L}, NULL);
    int result = fails(name, control->sync_error, &control->syncs_left) ? -1 : 0, status = errno;
    if (result == 0 && fnmatch(control->ignored, name, 0) == 0) return 0;
    pthread_mutex_lock(&mutex);
    append(result == 0 ? SYNC : FAILED_SYNC, state.st_ino, length.st_size, name, NULL, NULL, 0);
    pthread_mutex_unlock(&mutex);
    errno = status;
    return result;
}

int fdatasync(int) __attribute__((alias("fsync")));

// MARK: - Folders

static long change(uint32_t kind, const char *path, const char *other, long call, long a, long b) {
    const char *name = name_of(path), *other_name = other ? name_of(other) : NULL;
    if (!name || (other && !other_name)) return syscall(call, a, b);
    pthread_mutex_lock(&mutex);
    append(kind, 0, 0, name, other_name, NULL, 0);
    return finish(syscall(call, a, b));
}

int rename(const char *path, const char *other) {
    return (int)change(RENAME, path, other, SYS_rename, (long)path, (long)other);
}

int link(const char *path, const char *other) {
    return (int)change(LINK, path, other, SYS_link, (long)path, (long)other);
}

int unlink(const char *path) { return (int)change(UNLINK, path, NULL, SYS_unlink, (long)path, 0); }

int mkdir(const char *path, mode_t mode) {
    return (int)change(MAKE_FOLDER, path, NULL, SYS_mkdir, (long)path, (long)mode);
}
