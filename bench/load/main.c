/* The command line, the loop, and the one line of JSON at the end. */
#include "load.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const Nanos GOODBYE_AT_MOST = 60 * SECOND;
enum { CLOSING_AT_ONCE = 8 };

Options options = {.host = "127.0.0.1", .path = "/ws", .sockets = 50, .rooms = 1, .window = 1, .addresses = 1,
                   .concurrency = 64, .warm_s = 1, .seconds = 3, .rounds = 5, .rate = 200};
Socket *sockets;
const Scenario *scenario;

static const Scenario *const scenarios[] = {&echo_scenario,  &fanout_scenario, &idle_scenario, &connects_scenario,
                                            &flood_scenario, &game_scenario,   &storm_scenario};

enum { TEXT = 1, NUMBER, REAL, SWITCH };
static const struct {
    const char *name;
    int kind;
    void *value;
} known[] = {
    {"host", TEXT, &options.host},           {"path", TEXT, &options.path},
    {"join", TEXT, &options.join},           {"enter", TEXT, &options.enter},
    {"say", TEXT, &options.say},
    {"answer", TEXT, &options.answer},       {"cookies", TEXT, &options.cookies},
    {"targets", TEXT, &options.targets},     {"port", NUMBER, &options.port},
    {"sockets", NUMBER, &options.sockets},   {"rooms", NUMBER, &options.rooms},
    {"window", NUMBER, &options.window},     {"addresses", NUMBER, &options.addresses},
    {"concurrency", NUMBER, &options.concurrency},
    {"greetings", NUMBER, &options.greetings}, {"pid", NUMBER, &options.pid},
    {"rounds", NUMBER, &options.rounds},     {"warm", REAL, &options.warm_s},
    {"seconds", REAL, &options.seconds},     {"rate", REAL, &options.rate},
    {"binary", SWITCH, &options.binary},     {"socketio", SWITCH, &options.socketio},
    {"colyseus", SWITCH, &options.colyseus}, {"quiz", SWITCH, &options.quiz},
    {"awake", SWITCH, &options.awake},
};
enum { KNOWN = sizeof known / sizeof *known };

static void usage(const char *what)
{
    fprintf(stderr, "load: %s\n", what);
    exit(2);
}

static void set_option(const char *name, const char *value)
{
    for (int i = 0; i < KNOWN; i++) {
        if (strcmp(known[i].name, name))
            continue;
        if (known[i].kind == TEXT)
            *(const char **)known[i].value = value;
        else if (known[i].kind == NUMBER)
            *(int *)known[i].value = atoi(value);
        else if (known[i].kind == REAL)
            *(double *)known[i].value = atof(value);
        else
            *(bool *)known[i].value = atoi(value);
        return;
    }
    usage(name);
}

static void read_options(int count, char **words)
{
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
        if (count > 1 && !strcmp(scenarios[i]->name, words[1]))
            scenario = scenarios[i];
    if (!scenario)
        usage("the first word names the scenario");
    for (int i = 2; i < count; i++) {
        char *value = strchr(words[i], '=');
        if (!value)
            usage(words[i]);
        *value++ = 0;
        set_option(words[i], value);
    }
    if (options.window > WINDOW_MAX || options.rounds > WINDOW_MAX)
        usage("no more than 64 at once");
}

/* Each socket is closed in full, so that all that the server has sent is counted; a few at once, so that the
 * server is soon done with each: what falls due between a socket's close and its end goes nowhere.
 */
static void part(void)
{
    int next = 0;
    for (Nanos until = now_ns() + GOODBYE_AT_MOST; live && now_ns() < until;) {
        while (next < options.sockets && live - ready_count < CLOSING_AT_ONCE)
            say_goodbye(&sockets[next++]);
        wait_for_events(until);
    }
    if (live)
        fail("the server does not close its sockets");
}

/* While a quiz stands still nothing is under way, and the server's counts can be read; its last seconds, when
 * everybody leaves and everybody is told, are too quick to be counted from outside.
 */
static void stand_still(void)
{
    char line[8];
    printf("{");
    print_tally();
    printf("}\n");
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin))
        fail("nobody says go on");
}

int main(int count, char **words)
{
    read_options(count, words);
    set_up();
    do {
        keep_connecting();
        wait_for_events(wake_at);
    } while (scenario->turn(now_ns()));
    if (options.quiz)
        stand_still();
    part();
    printf("{\"scenario\":\"%s\",\"sockets\":%d,\"opened\":%d,\"lost\":%d,\"refused\":%d,", scenario->name,
           options.sockets, opened_count, lost_count, refused_count);
    print_tally();
    printf(",");
    scenario->print();
    printf("}\n");
    return 0;
}
