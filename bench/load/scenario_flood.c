/* (f) Everybody says something now and then; in every second phase one more sends all that TCP takes.
 *
 * The others' trips are counted from the moment at which they were due, so that a late start is no excuse.
 */
#include "load.h"

#include <stdio.h>
#include <string.h>

enum { CHUNK = 64 };
static const Nanos SETTLE = SECOND, AGAIN_AFTER = 50 * MILLISECOND, OPEN_AT_MOST = 60 * SECOND;

static Histogram trips;
static double p50[2][WINDOW_MAX], p99[2][WINDOW_MAX];
static unsigned char flood[CHUNK * 256];
static size_t flood_size;
static uint64_t said, flooded, lost_floods;
static int step; /* settle quiet, measure quiet, settle flooded, measure flooded, ... */
static Nanos step_ends, began, first_due, come_back_at;

static Socket *flooder(void) { return &sockets[options.sockets - 1]; }
static bool is_flooding(void) { return step % 4 >= 2; }

static void ready(Socket *socket) { socket->first = socket->last = 0; }

static void heard(Socket *socket, const char *text, size_t size, Nanos now)
{
    if (socket == flooder() || socket->first == socket->last || !is_answer(text, size))
        return;
    record(&trips, now - socket->asked[socket->first++ % WINDOW_MAX]);
    in_window++;
}

static void lost(Socket *socket, Nanos now)
{
    if (socket != flooder())
        fail("the server closed a socket that did nothing wrong");
    lost_floods++;
    come_back_at = now + AGAIN_AFTER;
}

static void talk(Nanos now)
{
    for (Nanos due; (due = first_due + said * SECOND / options.rate) <= now; said++) {
        Socket *socket = &sockets[said % (options.sockets - 1)];
        if (socket->last - socket->first == WINDOW_MAX)
            fail("no answers any more");
        socket->asked[socket->last++ % WINDOW_MAX] = due;
        send_text(socket, options.say, strlen(options.say));
    }
    wake_at = first_due + said * SECOND / options.rate;
}

static void pour(Nanos now)
{
    if (come_back_at && now >= come_back_at) {
        come_back_at = 0;
        connect_socket(flooder());
    }
    if (!is_flooding() || flooder()->state != READY || waiting_bytes(flooder()))
        return;
    send_bytes(flooder(), flood, flood_size);
    sent_total += CHUNK;
    flooded += CHUNK;
    wake_at = now;
}

static void next_step(Nanos now)
{
    if (step % 2) {
        p50[is_flooding()][step / 4] = percentile_us(&trips, 0.5);
        p99[is_flooding()][step / 4] = percentile_us(&trips, 0.99);
    }
    recording = ++step % 2;
    trips = (Histogram){0};
    step_ends = now + (recording ? options.seconds * SECOND : SETTLE);
}

static void start(Nanos now)
{
    for (int i = 0; i < CHUNK; i++)
        flood_size += put_frame(flood + flood_size, 1, options.say, strlen(options.say));
    begin_window(now);
    recording = false;
    first_due = now;
    step_ends = now + SETTLE;
}

static bool all_heard(void)
{
    for (int i = 0; i < options.sockets - 1; i++)
        if (sockets[i].first != sockets[i].last)
            return false;
    return !waiting_bytes(flooder());
}

static bool turn(Nanos now)
{
    began = began ? began : now;
    if (!first_due && now - began > OPEN_AT_MOST)
        fail("not all sockets opened in time");
    if (!first_due && ready_count == options.sockets)
        start(now);
    if (!first_due)
        return true;
    if (step == 4 * options.rounds) {
        wake_at = now + 10 * MILLISECOND;
        return !all_heard();
    }
    talk(now);
    pour(now);
    if (now >= step_ends)
        next_step(now);
    if (step == 4 * options.rounds)
        end_window(now);
    return true;
}

static void print_list(const char *name, const double *values)
{
    printf(",\"%s\":[", name);
    for (int i = 0; i < options.rounds; i++)
        printf("%s%.1f", i ? "," : "", values[i]);
    printf("]");
}

static void print(void)
{
    print_window();
    print_list("quiet_p50_us", p50[0]);
    print_list("quiet_p99_us", p99[0]);
    print_list("flooded_p50_us", p50[1]);
    print_list("flooded_p99_us", p99[1]);
    printf(",\"flood_sent\":%lu,\"flood_lost\":%lu", flooded, lost_floods);
}

const Scenario flood_scenario = {
    .name = "flood", .ready = ready, .heard = heard, .lost = lost, .turn = turn, .print = print};
