/*
 * A program's own requests to a supervised run (decision 0024), for C. Include it; nothing is linked.
 *
 * Each call is about the calling thread. It returns 0, or -1 with errno and, in `why`, the run's message: EACCES where the run refused
 * it (nothing has changed then), EPROTO where the answer is invalid, else the error of the socket.
 *
 *     char why[256];
 *     int told = windfall_notices(why, sizeof why);
 *     if (windfall_reserve(3000000, 10000000, "res", why, sizeof why) < 0)
 *         fprintf(stderr, "%s\n", why);
 *     unsigned set;
 *     while (windfall_wait(told, &set) == 0 && !(set & WINDFALL_RESERVATION_ENDED))
 *         ;
 *
 * The socket is $WINDFALL_SOCKET, else that of root's run if there is one, else that of a user's.
 */
#ifndef WINDFALL_H
#define WINDFALL_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* Notices: a set of these. */
enum {
    WINDFALL_ACCEPTED = 1,          /* a request for the thread was carried out */
    WINDFALL_REFUSED = 2,           /* a request for the thread was refused */
    WINDFALL_BUDGET_USED_UP = 4,    /* nothing more of the reservation until the next period */
    WINDFALL_PROMISE_BROKEN = 8,    /* a promise to the thread is no longer kept */
    WINDFALL_RESERVATION_ENDED = 16 /* the reservation has ended */
};

/* Writes the path of the socket; its length, which may be more than fits. */
static inline size_t windfall_socket_(char *path, size_t size)
{
    const char *named = getenv("WINDFALL_SOCKET"), *folder = getenv("XDG_RUNTIME_DIR");
    const char *roots = "/run/windfall/windfall.sock";
    if (named)
        return (size_t)snprintf(path, size, "%s", named);
    if (folder && access(roots, F_OK) != 0)
        return (size_t)snprintf(path, size, "%s/windfall/windfall.sock", folder);
    return (size_t)snprintf(path, size, "%s", roots);
}

/* Reads a line without its end; its length, or -1. */
static inline long windfall_line_(int fd, char *line, size_t size)
{
    size_t length = 0;
    for (;;) {
        char byte;
        ssize_t count = read(fd, &byte, 1);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0 || length + 1 >= size) {
            if (count >= 0)
                errno = count == 0 ? ECONNRESET : EPROTO;
            return -1;
        }
        if (byte == '\n') {
            line[length] = 0;
            return (long)length;
        }
        line[length++] = byte;
    }
}

/* Sends a request about the calling thread, with more keys. The connection after a good answer, or -1. */
static inline int windfall_ask_(const char *verb, const char *more, char *why, size_t size)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct timeval patience = {.tv_sec = 10}, none = {0};
    char line[4096];
    const char *reason = NULL;
    size_t sent = 0, length;
    int fd, error;

    if (windfall_socket_(address.sun_path, sizeof address.sun_path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    snprintf(line, sizeof line, "{\"windfall\":2,\"do\":\"%s\",\"own\":%ld%s}\n", verb,
             (long)syscall(SYS_gettid), more);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0)
        goto failed;
    length = strlen(line);
    while (sent < length) {
        ssize_t count = send(fd, line + sent, length - sent, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            goto failed;
        sent += (size_t)count;
    }
    if (windfall_line_(fd, line, sizeof line) < 0)
        goto failed;
    if (strstr(line, "\"ok\":true")) {
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &none, sizeof none);
        return fd;
    }
    /* A quotation mark within a text has a backslash before it, so this is found only where it is a key. */
    reason = strstr(line, "\"why\":\"");
    errno = reason ? EACCES : EPROTO;
failed:
    error = errno;
    if (why && size > 0 && reason) {
        size_t at = 0;
        for (reason += 7; *reason && *reason != '"' && at + 1 < size; reason++) {
            if (*reason == '\\' && reason[1])
                reason++;
            why[at++] = *reason;
        }
        why[at] = 0;
    } else if (why && size > 0) {
        snprintf(why, size, "%s: %s", address.sun_path, strerror(error));
    }
    close(fd);
    errno = error;
    return -1;
}

static inline int windfall_done_(int fd)
{
    if (fd < 0)
        return -1;
    close(fd);
    return 0;
}

/* A name or a guarantee goes into a request as it is. */
static inline int windfall_name_(const char *name, char *why, size_t size)
{
    const char *c;
    for (c = name; *c; c++)
        if (*c == '"' || *c == '\\' || (unsigned char)*c < ' ')
            break;
    if (!*c && c - name <= 256)
        return 0;
    if (why && size > 0)
        snprintf(why, size, "a quotation mark, a backslash or more than 256 bytes in a name");
    errno = EINVAL;
    return -1;
}

/* Begins or changes a reservation, in nanoseconds; `at` is the scheduler that is to give it, or NULL for the one above the thread. */
static inline int windfall_reserve(unsigned long long amount, unsigned long long period,
                                   const char *at, char *why, size_t size)
{
    char more[512];
    if (at && windfall_name_(at, why, size) < 0)
        return -1;
    snprintf(more, sizeof more, ",\"reserve\":\"%lluns/%lluns\"%s%s%s", amount, period,
             at ? ",\"to\":\"" : "", at ? at : "", at ? "\"" : "");
    return windfall_done_(windfall_ask_("reserve", more, why, size));
}

/* Requests a guarantee, as "RESBH 3ms 10ms", which the run judges; `at` is as in windfall_reserve. */
static inline int windfall_guarantee(const char *guarantee, const char *at, char *why, size_t size)
{
    char more[1024];
    if (windfall_name_(guarantee, why, size) < 0 || (at && windfall_name_(at, why, size) < 0))
        return -1;
    snprintf(more, sizeof more, ",\"guarantee\":\"%s\"%s%s%s", guarantee, at ? ",\"to\":\"" : "",
             at ? at : "", at ? "\"" : "");
    return windfall_done_(windfall_ask_("guarantee", more, why, size));
}

/* Ends the reservation; a thread that moved for it returns. */
static inline int windfall_unreserve(char *why, size_t size)
{
    return windfall_done_(windfall_ask_("unreserve", "", why, size));
}

/* Sets the share, at least 1. */
static inline int windfall_share(unsigned share, char *why, size_t size)
{
    char more[64];
    snprintf(more, sizeof more, ",\"share\":%u", share);
    return windfall_done_(windfall_ask_("share", more, why, size));
}

/* Sets the priority; a larger number is served first. */
static inline int windfall_priority(int priority, char *why, size_t size)
{
    char more[64];
    snprintf(more, sizeof more, ",\"priority\":%d", priority);
    return windfall_done_(windfall_ask_("priority", more, why, size));
}

/* Moves the thread to a scheduler at or below the one that it began at. */
static inline int windfall_move(const char *to, char *why, size_t size)
{
    char more[512];
    if (windfall_name_(to, why, size) < 0)
        return -1;
    snprintf(more, sizeof more, ",\"to\":\"%s\"", to);
    return windfall_done_(windfall_ask_("move", more, why, size));
}

/* A descriptor that is readable when windfall_wait would not block; close it to end the notices. -1 on an error. */
static inline int windfall_notices(char *why, size_t size)
{
    return windfall_ask_("notices", "", why, size);
}

/* Waits for notices. 0, or -1 with ECONNRESET when the run or the thread has ended. */
static inline int windfall_wait(int fd, unsigned *set)
{
    static const char *const names[] = {"\"accepted\"", "\"refused\"", "\"budget-used-up\"",
                                        "\"promise-broken\"", "\"reservation-ended\""};
    char line[1024];
    unsigned bit;
    *set = 0;
    if (windfall_line_(fd, line, sizeof line) < 0)
        return -1;
    for (bit = 0; bit < sizeof names / sizeof *names; bit++)
        if (strstr(line, names[bit]))
            *set |= 1U << bit;
    return 0;
}

#endif
