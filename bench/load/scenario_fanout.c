/* (b) One member of each room says something, all members hear it, and then the next is said. */
#include "load.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int members, heard[WINDOW_MAX];
    Nanos said[WINDOW_MAX];
    unsigned first, last;
} Room;

static Room *rooms;
static Histogram trips;

static void say(int which, Nanos now)
{
    Room *room = &rooms[which];
    room->said[room->last % WINDOW_MAX] = now;
    room->heard[room->last++ % WINDOW_MAX] = 0;
    char text[1024];
    send_text(&sockets[which], text, snprintf(text, sizeof text, options.say, which));
}

static void go(Nanos now)
{
    rooms = calloc(options.rooms, sizeof *rooms);
    for (int i = 0; i < options.sockets; i++)
        rooms[i % options.rooms].members++;
    for (int i = 0; i < options.rooms; i++)
        for (int k = 0; k < options.window; k++)
            say(i, now);
}

/* A socket hears its room in order, so its own count says which saying this is. */
static void heard(Socket *socket, const char *text, size_t size, Nanos now)
{
    if (!rooms || !is_answer(text, size))
        return;
    int which = socket->index % options.rooms;
    Room *room = &rooms[which];
    unsigned saying = socket->last++ % WINDOW_MAX;
    in_window++;
    if (++room->heard[saying] < room->members)
        return;
    record(&trips, now - room->said[saying]);
    room->first++;
    if (phase < DRAINING)
        say(which, now);
}

static bool drained(void)
{
    for (int i = 0; i < options.rooms; i++)
        if (rooms[i].first != rooms[i].last)
            return false;
    return true;
}

static bool turn(Nanos now) { return run_phases(now, go, drained); }

static void ready(Socket *socket) { socket->last = 0; }

static void print(void)
{
    print_window();
    printf(",\"p50_us\":%.1f,\"p99_us\":%.1f", percentile_us(&trips, 0.5), percentile_us(&trips, 0.99));
}

const Scenario fanout_scenario = {
    .name = "fanout", .ready = ready, .heard = heard, .lost = try_again, .turn = turn, .print = print};
