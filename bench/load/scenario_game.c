/* (c) Everybody in every room answers within the same 200 ms, and then waits for the results.
 *
 * The clock of a member starts with the last answer of its room and stops when it has the results of all and
 * its own. Rounds of all rooms go together: that is the worst that can happen to a server.
 */
#include "load.h"

#include <stdio.h>
#include <stdlib.h>

static const Nanos ANSWERS_WITHIN = 200 * MILLISECOND, PAUSE = 400 * MILLISECOND, PATIENCE = 60 * SECOND;
enum { BOTH = 2, WARM_ROUNDS = 2 };

static Histogram waits;
static Socket **in_turn; /* the sockets in the order in which they answer */
static Nanos *last_answer;
static int round_, have_question, answered, have_results;
static Nanos resume_at, began;

static int by_due(const void *a, const void *b)
{
    Nanos x = (*(Socket *const *)a)->due, y = (*(Socket *const *)b)->due;
    return x < y ? -1 : x > y;
}

static void plan_answers(Nanos now)
{
    for (int i = 0; i < options.sockets; i++)
        sockets[i].due = now + ANSWERS_WITHIN * (rand() / (RAND_MAX + 1.0));
    qsort(in_turn, options.sockets, sizeof *in_turn, by_due);
    answered = have_results = 0;
    wake_at = in_turn[0]->due;
}

static void note_question(Socket *socket, const char *text, size_t size)
{
    member(text, size, NULL, "\"questionId\":", socket->question, sizeof socket->question);
    member(text, size, "\"choices\":", "\"id\":", socket->choice, sizeof socket->choice);
    socket->heard = 0;
    if (++have_question == options.sockets)
        plan_answers(now_ns());
}

static void send_answer(Socket *socket, Nanos now)
{
    char text[4 * TOKEN_MAX];
    int size = snprintf(text, sizeof text, "{\"type\":\"SUBMIT_ANSWER\",\"questionId\":\"%s\",\"choices\":[\"%s\"]}",
                        socket->question, socket->choice);
    send_text(socket, text, size);
    last_answer[socket->index % options.rooms] = now;
}

static void next_round(Nanos now)
{
    if (recording && round_ == options.rounds + WARM_ROUNDS)
        end_window(now);
    if (!recording && round_ == WARM_ROUNDS)
        begin_window(now);
    round_++;
    have_question = 0;
    wake_at = now + PATIENCE;
    hosts_say(round_ == 1 && options.quiz ? "{\"type\":\"START_GAME\"}" : "{\"type\":\"NEXT_QUESTION\"}");
}

static void note_result(Socket *socket, Nanos now)
{
    if (++socket->heard < BOTH)
        return;
    record(&waits, now - last_answer[socket->index % options.rooms]);
    in_window++;
    if (++have_results == options.sockets)
        resume_at = wake_at = now + PAUSE;
}

static void heard(Socket *socket, const char *text, size_t size, Nanos now)
{
    if (is_type(text, size, "NEW_QUESTION"))
        note_question(socket, text, size);
    else if (is_type(text, size, "QUESTION_RESULTS") || is_type(text, size, "YOUR_RESULT"))
        note_result(socket, now);
    else
        heard_of_seat(socket, text, size);
}

static void set_table(void)
{
    in_turn = calloc(options.sockets, sizeof *in_turn);
    last_answer = calloc(options.rooms, sizeof *last_answer);
    for (int i = 0; i < options.sockets; i++)
        in_turn[i] = &sockets[i];
}

static void answer_what_is_due(Nanos now)
{
    while (answered < options.sockets && in_turn[answered]->due <= now)
        send_answer(in_turn[answered++], now);
    wake_at = answered < options.sockets ? in_turn[answered]->due : now + PATIENCE;
}

static bool turn(Nanos now)
{
    began = began ? began : now;
    if (!in_turn)
        set_table();
    if (now - began > 4 * PATIENCE)
        fail("the game takes too long");
    if (!round_ && seated_count == options.sockets && !resume_at)
        resume_at = wake_at = now + PAUSE;
    if (resume_at && now >= resume_at) {
        resume_at = 0;
        if (round_ == options.rounds + WARM_ROUNDS)
            return end_window(now), false;
        next_round(now);
    } else if (have_question == options.sockets && answered < options.sockets) {
        answer_what_is_due(now);
    }
    return true;
}

static void print(void)
{
    print_window();
    printf(",\"p50_us\":%.1f,\"p99_us\":%.1f", percentile_us(&waits, 0.5), percentile_us(&waits, 0.99));
}

const Scenario game_scenario = {
    .name = "game", .ready = ready_to_sit, .heard = heard, .turn = turn, .print = print};
