/* The course of most scenarios: open all sockets, warm up, measure, wait for the last answers. */
#include "load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const Nanos OPEN_AT_MOST = 300 * SECOND, DRAIN_AT_MOST = 30 * SECOND;

enum { ATTEMPTS_AT_MOST = 10 };

Phase phase;
Nanos wake_at;

void fail(const char *why)
{
    fprintf(stderr, "%s: %s (ready %d of %d, lost %d, refused %d)\n", scenario->name, why, ready_count,
            options.sockets, lost_count, refused_count);
    exit(1);
}

bool is_answer(const char *text, size_t size)
{
    size_t length = options.answer ? strlen(options.answer) : 0;
    return size >= length && !memcmp(text, options.answer, length);
}

/* A server that is busy may refuse a client for now, and then it comes again; nobody may be lost later. */
void try_again(Socket *socket, Nanos now)
{
    (void)now;
    if (phase != OPENING || socket->attempts == ATTEMPTS_AT_MOST)
        fail("the server closed a socket");
    connect_socket(socket);
}

static void next(Phase to, Nanos until)
{
    phase = to;
    wake_at = until;
}

/* `go` begins what the scenario does for ever; `drained` says whether all that was asked is answered. */
bool run_phases(Nanos now, void (*go)(Nanos now), bool (*drained)(void))
{
    static Nanos began;
    began = began ? began : now;
    if (phase == OPENING && now - began > OPEN_AT_MOST)
        fail("not all sockets opened in time");
    if (phase == OPENING && ready_count == options.sockets) {
        next(WARMING, now + options.warm_s * SECOND);
        go(now);
    } else if (phase == WARMING && now >= wake_at) {
        next(MEASURING, now + options.seconds * SECOND);
        begin_window(now);
    } else if (phase == MEASURING && now >= wake_at) {
        end_window(now);
        next(DRAINING, now + DRAIN_AT_MOST);
    } else if (phase == DRAINING) {
        if (now >= wake_at)
            fail("answers are missing");
        return !drained();
    }
    return true;
}
