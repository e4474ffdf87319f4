/* The load generator: many WebSocket clients in one thread on epoll, plain bytes, no library.
 *
 * What a socket does is in sockets.c, what bytes mean in frames.c, what is measured in figures.c; each
 * scenario_*.c plays one scenario of the bench. Nothing here knows a server: what differs between them comes
 * by the command line (main.c).
 */
#ifndef LOAD_H
#define LOAD_H
#define _GNU_SOURCE /* memmem */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WINDOW_MAX = 64, TYPES_MAX = 64, TYPE_MAX = 40, TOKEN_MAX = 80 };

typedef uint64_t Nanos;
#define SECOND 1000000000ull
#define MILLISECOND 1000000ull

typedef struct {
    unsigned char *bytes;
    size_t size, room;
} Buffer;

typedef enum { CLOSED, CONNECTING, SHAKING, GREETING, READY, CLOSING } State;

/* One client. `ticket` and what follows belong to the scenarios. */
typedef struct {
    State state;
    int fd, index, greeted;
    bool writes; /* epoll tells us when it may write */
    Buffer in, out;
    Nanos began;
    Nanos asked[WINDOW_MAX]; /* when each question that waits for its answer was sent, a ring */
    unsigned first, last;
    char ticket[4 * TOKEN_MAX]; /* appended to the path at the next connect */
    char code[TOKEN_MAX], question[TOKEN_MAX], choice[TOKEN_MAX];
    Nanos due; /* a scenario's own alarm */
    int heard, attempts;
    bool seated, answered;
} Socket;

typedef struct {
    const char *scenario, *host, *path, *join, *enter, *say, *answer, *cookies, *targets;
    int port, sockets, rooms, window, addresses, concurrency, greetings, pid, rounds;
    double warm_s, seconds, rate;
    bool binary, socketio, colyseus, quiz, awake;
} Options;

typedef struct {
    const char *name;
    void (*ready)(Socket *socket);                            /* past its greeting */
    void (*heard)(Socket *socket, const char *text, size_t size, Nanos now);
    void (*read_all)(Socket *socket, Nanos now);              /* all that lay there has been heard */
    void (*lost)(Socket *socket, Nanos now);                  /* closed, and not by us */
    bool (*turn)(Nanos now);                                  /* once a turn; false when it is over */
    void (*print)(void);                                      /* its figures, as members of a JSON object */
} Scenario;

extern Options options;
extern Socket *sockets;
extern const Scenario *scenario;
extern const Scenario echo_scenario, fanout_scenario, idle_scenario, connects_scenario, flood_scenario,
    game_scenario, storm_scenario;

/* phases.c */
typedef enum { OPENING, WARMING, MEASURING, DRAINING } Phase;
extern Phase phase;
extern Nanos wake_at; /* when the next turn must come at the latest; 0: when there is something to read */
bool run_phases(Nanos now, void (*go)(Nanos now), bool (*drained)(void));
void try_again(Socket *socket, Nanos now);
bool is_answer(const char *text, size_t size);
void fail(const char *why);

/* sockets.c */
extern int live, ready_count, lost_count, refused_count, opened_count;
void set_up(void);
void connect_socket(Socket *socket);
void keep_connecting(void);
void send_bytes(Socket *socket, const void *bytes, size_t size);
void send_text(Socket *socket, const char *text, size_t size);
size_t waiting_bytes(const Socket *socket);
void cut(Socket *socket);
void say_goodbye(Socket *socket);
void wait_for_events(Nanos until);
Nanos now_ns(void);

/* frames.c */
size_t put_frame(unsigned char *to, int opcode, const void *payload, size_t size);
typedef struct {
    int opcode;
    const unsigned char *payload;
    size_t size, whole;
} Frame;
bool take_frame(const unsigned char *bytes, size_t size, Frame *frame);
const char *type_of(const char *text, size_t size, size_t *length);
bool is_type(const char *text, size_t size, const char *wanted);
bool member(const char *text, size_t size, const char *after, const char *name, char *to, size_t room);

/* quiz.c */
extern int seated_count;
void ready_to_sit(Socket *socket);
void heard_of_seat(Socket *socket, const char *text, size_t size);
void hosts_say(const char *text);

/* figures.c */
typedef struct {
    uint64_t counts[4096], total;
} Histogram;
extern bool recording;
extern uint64_t sent_total, heard_total, in_window;
extern Nanos idle_ns; /* looked for something to do, and found nothing */
void record(Histogram *histogram, Nanos value);
double percentile_us(const Histogram *histogram, double share);
void tally(const char *text, size_t size);
void print_tally(void);
void begin_window(Nanos now);
void end_window(Nanos now);
void print_window(void);
long resident_bytes(void);
double server_seconds(void);
Nanos processor_ns(void); /* that we have used ourselves */

#endif
