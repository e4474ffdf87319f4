/* (d) Sockets that only answer heartbeats: what each costs the server. */
#include "load.h"

#include <stdio.h>

static long before;

static void ready(Socket *socket) { (void)socket; }

static void heard(Socket *socket, const char *text, size_t size, Nanos now)
{
    (void)socket, (void)text, (void)size, (void)now;
}

static void go(Nanos now) { (void)now; }

static bool drained(void) { return true; }

static long after;

static bool turn(Nanos now)
{
    before = before ? before : resident_bytes();
    if (phase == MEASURING)
        after = resident_bytes();
    return run_phases(now, go, drained);
}

static void print(void)
{
    print_window();
    printf(",\"bytes_before\":%ld,\"bytes_per_socket\":%.0f", before, (double)(after - before) / options.sockets);
}

const Scenario idle_scenario = {
    .name = "idle", .ready = ready, .heard = heard, .lost = try_again, .turn = turn, .print = print};
