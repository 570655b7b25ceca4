/* Makes the disk fail under the journal, on demand: loaded before libc, it looks into the file named
   by PARLOR_FAULT on each call and fails those that concern a file named like the journal's.
   Words: "fsync" every sync fails, "fsync-once" the next one, "full" nothing fits, "readonly". */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is(const char *word) {
    const char *path = getenv("PARLOR_FAULT");
    char text[32] = {0};
    if (!path) return 0;
    int fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
    if (fd < 0) return 0;
    long n = syscall(SYS_read, fd, text, sizeof text - 1);
    syscall(SYS_close, fd);
    return n > 0 && strcmp(text, word) == 0;
}

static int journals(int fd) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n < 0) return 0;
    path[n] = 0;
    return strstr(path, "journal.db") != NULL;
}

static int fail(int error) {
    errno = error;
    return -1;
}

static int sync_fails(int fd) {
    if (!journals(fd)) return 0;
    if (is("fsync-once")) {
        unlink(getenv("PARLOR_FAULT"));
        return 1;
    }
    return is("fsync");
}

int fsync(int fd) { return sync_fails(fd) ? fail(EIO) : (int)syscall(SYS_fsync, fd); }
int fdatasync(int fd) { return sync_fails(fd) ? fail(EIO) : (int)syscall(SYS_fdatasync, fd); }

static int write_error(int fd) {
    if (!journals(fd)) return 0;
    return is("full") ? ENOSPC : is("readonly") ? EROFS : 0;
}

ssize_t write(int fd, const void *bytes, size_t count) {
    int error = write_error(fd);
    return error ? fail(error) : syscall(SYS_write, fd, bytes, count);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off_t at) {
    int error = write_error(fd);
    return error ? fail(error) : syscall(SYS_pwrite64, fd, bytes, count, at);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) {
    return pwrite64(fd, bytes, count, at);
}

int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    if ((flags & O_ACCMODE) != O_RDONLY && strstr(path, "journal.db") && is("readonly"))
        return fail(EROFS);
    return syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return open64(path, flags, mode);
}
