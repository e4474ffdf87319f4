/* (e) Sockets come, are let in and go: how many a second. */
#include "load.h"

#include <stdio.h>

static Histogram waits;
static int let_in;

static void ready(Socket *socket)
{
    record(&waits, now_ns() - socket->began);
    in_window++;
    let_in++;
    say_goodbye(socket);
}

static void heard(Socket *socket, const char *text, size_t size, Nanos now)
{
    (void)socket, (void)text, (void)size, (void)now;
}

static bool turn(Nanos now)
{
    if (!recording && !let_in)
        begin_window(now);
    if (recording && let_in + refused_count == options.sockets)
        end_window(now);
    return recording || live;
}

static void print(void)
{
    print_window();
    printf(",\"p50_us\":%.1f,\"p99_us\":%.1f", percentile_us(&waits, 0.5), percentile_us(&waits, 0.99));
}

const Scenario connects_scenario = {
    .name = "connects", .ready = ready, .heard = heard, .turn = turn, .print = print};
