/* (a) Each socket asks, hears its answer and asks again; `window` questions of a socket are under way. */
#include "load.h"

#include <stdio.h>

static unsigned char question[WINDOW_MAX * 256];
static size_t question_size;
static Histogram trips;

static void ask(Socket *socket, int times, Nanos now)
{
    for (int i = 0; i < times; i++)
        socket->asked[socket->last++ % WINDOW_MAX] = now;
    send_bytes(socket, question, question_size * times);
    sent_total += times;
}

static void go(Nanos now)
{
    for (int i = 0; i < options.window; i++)
        question_size = put_frame(question + i * question_size, options.binary ? 2 : 1, options.say,
                                  __builtin_strlen(options.say));
    for (int i = 0; i < options.sockets; i++)
        ask(&sockets[i], options.window, now);
}

static void heard(Socket *socket, const char *text, size_t size, Nanos now)
{
    if (socket->first == socket->last || !is_answer(text, size))
        return;
    record(&trips, now - socket->asked[socket->first++ % WINDOW_MAX]);
    in_window++;
    socket->heard++;
}

/* In one piece: what came together is answered together. */
static void read_all(Socket *socket, Nanos now)
{
    if (socket->heard && phase < DRAINING)
        ask(socket, socket->heard, now);
    socket->heard = 0;
}

static bool drained(void)
{
    for (int i = 0; i < options.sockets; i++)
        if (sockets[i].first != sockets[i].last)
            return false;
    return true;
}

static bool turn(Nanos now) { return run_phases(now, go, drained); }

static void ready(Socket *socket) { socket->heard = 0; }

static void print(void)
{
    print_window();
    printf(",\"p50_us\":%.1f,\"p99_us\":%.1f", percentile_us(&trips, 0.5), percentile_us(&trips, 0.99));
}

const Scenario echo_scenario = {
    .name = "echo",
    .ready = ready,
    .heard = heard,
    .read_all = read_all,
    .lost = try_again,
    .turn = turn,
    .print = print};
