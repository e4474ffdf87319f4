/* (g) In the middle of a game all sockets are cut at once and come back at once, each for its own seat. */
#include "load.h"

#include <stdio.h>

static const Nanos QUIET = 2 * SECOND, PATIENCE = 60 * SECOND;
enum { FIRST_QUESTION = 1, AWAY, BACK };

static Histogram waits;
static int state, questions, cuts;
static Nanos cut_at, resume_at, began;
static double p99_s[WINDOW_MAX], all_s[WINDOW_MAX];

static void cut_all(Nanos now)
{
    state = AWAY;
    cut_at = now;
    seated_count = 0;
    waits = (Histogram){0};
    if (!cuts)
        begin_window(now);
    recording = true;
    for (int i = 0; i < options.sockets; i++) {
        cut(&sockets[i]);
        sockets[i].seated = false;
    }
    for (int i = 0; i < options.sockets; i++)
        connect_socket(&sockets[i]);
}

static void all_back(Nanos now)
{
    p99_s[cuts] = percentile_us(&waits, 0.99) / 1e6;
    all_s[cuts++] = (now - cut_at) / 1e9;
    state = BACK;
    resume_at = wake_at = now + QUIET;
}

static void heard(Socket *socket, const char *text, size_t size, Nanos now)
{
    bool sat = socket->seated;
    if (is_type(text, size, "NEW_QUESTION"))
        questions++;
    heard_of_seat(socket, text, size);
    if (state != AWAY || sat || !socket->seated)
        return;
    record(&waits, now - cut_at);
    in_window++;
    if (seated_count == options.sockets)
        all_back(now);
}

/* A client that is refused tries again, as all clients do. */
static void lost(Socket *socket, Nanos now)
{
    if (state != AWAY)
        fail("the server closed a socket");
    if (now - cut_at > PATIENCE)
        fail("not everybody came back");
    connect_socket(socket);
}

static bool turn(Nanos now)
{
    began = began ? began : now;
    if (now - began > 4 * PATIENCE)
        fail("this takes too long");
    if (!state && seated_count == options.sockets) {
        state = FIRST_QUESTION;
        hosts_say("{\"type\":\"START_GAME\"}");
    } else if (state == FIRST_QUESTION && questions >= options.sockets && !resume_at) {
        resume_at = wake_at = now + QUIET;
    } else if (resume_at && now >= resume_at) {
        resume_at = 0;
        if (cuts == options.rounds)
            return end_window(now), false;
        cut_all(now);
    }
    return true;
}

static void print(void)
{
    print_window();
    printf(",\"cuts\":%d,\"p99_s\":[", cuts);
    for (int i = 0; i < cuts; i++)
        printf("%s%.3f", i ? "," : "", p99_s[i]);
    printf("],\"all_s\":[");
    for (int i = 0; i < cuts; i++)
        printf("%s%.3f", i ? "," : "", all_s[i]);
    printf("]");
}

const Scenario storm_scenario = {
    .name = "storm", .ready = ready_to_sit, .heard = heard, .lost = lost, .turn = turn, .print = print};
