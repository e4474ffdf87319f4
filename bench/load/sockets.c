/* Sockets: connect from many loopback addresses, shake hands, read, write, end.
 *
 * Heartbeats of every kind are answered here, so that no scenario has to think of them. A scenario hears of
 * text and binary frames alike, one by one.
 */
#include "load.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 512, PIECE = 256 * 1024, REQUEST_MAX = 2048, LINE_MAX_ = 512, FRAME_MAX = 16 * 1024 };

int live, ready_count, lost_count, refused_count, opened_count;
static int epoll, timer, next_index, connecting;
static char (*cookies)[LINE_MAX_], (*targets)[LINE_MAX_];
static int cookie_count, target_count;
static unsigned char piece[PIECE];

Nanos now_ns(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return at.tv_sec * SECOND + at.tv_nsec;
}

static int read_lines(const char *path, char (**lines)[LINE_MAX_])
{
    FILE *file = path ? fopen(path, "r") : NULL;
    int count = 0;
    if (!file)
        return 0;
    *lines = malloc(sizeof **lines * (options.sockets + 1));
    while (count < options.sockets && fgets((*lines)[count], LINE_MAX_, file)) {
        (*lines)[count][strcspn((*lines)[count], "\n")] = 0;
        count++;
    }
    fclose(file);
    return count;
}

void set_up(void)
{
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    epoll = epoll_create1(0);
    timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    struct epoll_event wanted = {.events = EPOLLIN, .data.ptr = NULL};
    epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &wanted);
    sockets = calloc(options.sockets, sizeof *sockets);
    cookie_count = read_lines(options.cookies, &cookies);
    target_count = read_lines(options.targets, &targets);
    for (int i = 0; i < options.sockets; i++) {
        sockets[i].index = i;
        sockets[i].fd = -1;
    }
}

/* ---------- writing */

static void want_writes(Socket *socket, bool wanted)
{
    if (socket->writes == wanted)
        return;
    socket->writes = wanted;
    struct epoll_event event = {.events = EPOLLIN | (wanted ? EPOLLOUT : 0), .data.ptr = socket};
    epoll_ctl(epoll, EPOLL_CTL_MOD, socket->fd, &event);
}

static void append(Buffer *buffer, const void *bytes, size_t size)
{
    if (buffer->size + size > buffer->room) {
        buffer->room = (buffer->size + size) * 2;
        buffer->bytes = realloc(buffer->bytes, buffer->room);
    }
    memcpy(buffer->bytes + buffer->size, bytes, size);
    buffer->size += size;
}

static void drop_front(Buffer *buffer, size_t size)
{
    buffer->size -= size;
    memmove(buffer->bytes, buffer->bytes + size, buffer->size);
    if (!buffer->size) {
        free(buffer->bytes);
        *buffer = (Buffer){0};
    }
}

size_t waiting_bytes(const Socket *socket) { return socket->out.size; }

void send_bytes(Socket *socket, const void *bytes, size_t size)
{
    ssize_t done = 0;
    if (socket->fd < 0)
        return;
    if (!socket->out.size) {
        done = send(socket->fd, bytes, size, MSG_NOSIGNAL);
        if (done == (ssize_t)size)
            return;
        if (done < 0)
            done = 0; /* a socket that is over is told by its next read */
    }
    append(&socket->out, (const char *)bytes + done, size - done);
    want_writes(socket, true);
}

static void flush(Socket *socket)
{
    if (socket->out.size) {
        ssize_t done = send(socket->fd, socket->out.bytes, socket->out.size, MSG_NOSIGNAL);
        if (done > 0)
            drop_front(&socket->out, done);
    }
    if (!socket->out.size)
        want_writes(socket, false);
}

void send_text(Socket *socket, const char *text, size_t size)
{
    unsigned char frame[FRAME_MAX];
    send_bytes(socket, frame, put_frame(frame, options.binary ? 2 : 1, text, size));
    sent_total++;
}

/* ---------- the beginning and the end */

static uint32_t address_of(const Socket *socket)
{
    int which = socket->index % options.addresses;
    return 0x7f000000u | ((1 + which / 250) << 8) | (1 + which % 250); /* 127.0.1.1 and on */
}

/* `socket` is a client's name everywhere below. */
static int new_descriptor(void) { return socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0); }

void connect_socket(Socket *socket)
{
    int one = 1;
    struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(address_of(socket))};
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(options.port)};
    inet_pton(AF_INET, options.host, &to.sin_addr);
    socket->fd = new_descriptor();
    if (socket->fd < 0) {
        perror("socket");
        exit(1);
    }
    setsockopt(socket->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    /* The port is chosen with the connect, so that each address has all of them for each server. */
    setsockopt(socket->fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one);
    if (bind(socket->fd, (void *)&from, sizeof from) ||
        (connect(socket->fd, (void *)&to, sizeof to) && errno != EINPROGRESS)) {
        perror("connect");
        exit(1);
    }
    socket->state = CONNECTING;
    socket->began = now_ns();
    socket->writes = true;
    socket->greeted = 0;
    drop_front(&socket->in, socket->in.size); /* not in let_go: it may be being read there */
    socket->attempts++;
    connecting++;
    live++;
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT, .data.ptr = socket};
    epoll_ctl(epoll, EPOLL_CTL_ADD, socket->fd, &event);
}

/* The next sockets in line, so many at once as are allowed. */
void keep_connecting(void)
{
    while (next_index < options.sockets && connecting < options.concurrency)
        connect_socket(&sockets[next_index++]);
}

static void let_go(Socket *socket)
{
    if (socket->state > CLOSED && socket->state < READY)
        connecting--;
    if (socket->state == READY)
        ready_count--;
    close(socket->fd);
    socket->fd = -1;
    socket->state = CLOSED;
    drop_front(&socket->out, socket->out.size);
    socket->first = socket->last = 0;
    live--;
}

/* With a RST, as a network that goes away. */
void cut(Socket *socket)
{
    struct linger now = {1, 0};
    setsockopt(socket->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    let_go(socket);
}

/* All that was said before it is still heard; the server's end closes the socket. */
void say_goodbye(Socket *socket)
{
    unsigned char frame[16];
    if (socket->state != READY)
        return;
    ready_count--;
    socket->state = CLOSING;
    send_bytes(socket, frame, put_frame(frame, 8, "\x03\xe8", 2));
}

static void ended(Socket *socket)
{
    bool ours = socket->state == CLOSING, refused = socket->state < READY;
    let_go(socket);
    if (ours)
        return;
    refused_count += refused;
    lost_count += !refused;
    if (scenario->lost)
        scenario->lost(socket, now_ns());
}

/* ---------- the handshake */

static void shake(Socket *socket)
{
    char request[REQUEST_MAX], path[LINE_MAX_];
    const char *cookie = cookie_count ? cookies[socket->index % cookie_count] : "";
    snprintf(path, sizeof path, options.path, socket->index % options.rooms);
    int size = snprintf(request, sizeof request,
                        "GET %s%s HTTP/1.1\r\nHost: %s:%d\r\nOrigin: http://%s:%d\r\n"
                        "User-Agent: Mozilla/5.0 (bench)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
                        "%s%s%s\r\n",
                        target_count ? targets[socket->index % target_count] : path, socket->ticket,
                        options.host, options.port, options.host, options.port, *cookie ? "Cookie: " : "",
                        cookie, *cookie ? "\r\n" : "");
    socket->state = SHAKING;
    want_writes(socket, false);
    send_bytes(socket, request, size);
}

static void is_ready(Socket *socket)
{
    socket->state = READY;
    connecting--;
    ready_count++;
    opened_count++;
    scenario->ready(socket);
}

/* With the number of the socket's room where the text asks for it. */
static void say_of_room(Socket *socket, const char *form)
{
    char text[LINE_MAX_];
    if (form)
        send_text(socket, text, snprintf(text, sizeof text, form, socket->index % options.rooms));
}

static size_t take_response(Socket *socket, const unsigned char *bytes, size_t size)
{
    const unsigned char *end = memmem(bytes, size, "\r\n\r\n", 4);
    if (!end)
        return 0;
    if (memcmp(bytes, "HTTP/1.1 101", 12)) {
        if (!refused_count)
            fprintf(stderr, "refused: %.*s\n", (int)strcspn((const char *)bytes, "\r"), (const char *)bytes);
        shutdown(socket->fd, SHUT_RDWR);
        return size;
    }
    socket->state = GREETING;
    say_of_room(socket, options.join);
    if (!options.greetings)
        is_ready(socket);
    return end + 4 - bytes;
}

/* ---------- reading */

static void answer_heartbeat(Socket *socket, const char *text, size_t size)
{
    char at[TOKEN_MAX], response[2 * TOKEN_MAX];
    if (!member(text, size, NULL, "\"timestamp\":", at, sizeof at))
        return;
    int length = snprintf(response, sizeof response, "{\"type\":\"HEARTBEAT_RESPONSE\",\"timestamp\":%s}", at);
    if (socket->state != CLOSING)
        send_text(socket, response, length);
}

static void hear(Socket *socket, const char *text, size_t size, Nanos now)
{
    if (options.socketio && size == 1 && *text == '2') {
        send_text(socket, "3", 1);
        sent_total--; /* a ping of the transport below, no message */
        return;
    }
    tally(text, size);
    if (is_type(text, size, "HEARTBEAT")) {
        answer_heartbeat(socket, text, size);
    } else if (socket->state == GREETING) {
        if (options.colyseus && *text == 10)
            send_bytes(socket, "\x82\x81\x00\x00\x00\x00\x0a", 7);
        if (++socket->greeted == options.greetings)
            is_ready(socket);
        else if (socket->greeted == 2)
            say_of_room(socket, options.enter);
    } else if (socket->state == READY) {
        scenario->heard(socket, text, size, now);
    }
}

static void take(Socket *socket, const Frame *frame, Nanos now)
{
    unsigned char reply[192];
    if (frame->opcode <= 2)
        hear(socket, (const char *)frame->payload, frame->size, now);
    else if (frame->opcode == 9)
        send_bytes(socket, reply, put_frame(reply, 10, frame->payload, frame->size));
    else if (frame->opcode == 8 && socket->state != CLOSING)
        send_bytes(socket, reply, put_frame(reply, 8, frame->payload, frame->size < 2 ? 0 : 2));
    if (frame->opcode == 8)
        shutdown(socket->fd, SHUT_WR);
}

static size_t take_all(Socket *socket, const unsigned char *bytes, size_t size, Nanos now)
{
    size_t at = 0;
    Frame frame;
    if (socket->state == SHAKING)
        at = take_response(socket, bytes, size);
    while (socket->fd >= 0 && socket->state > SHAKING && take_frame(bytes + at, size - at, &frame)) {
        at += frame.whole;
        take(socket, &frame, now);
    }
    return socket->fd < 0 ? size : at;
}

static void read_socket(Socket *socket)
{
    for (;;) {
        ssize_t got = recv(socket->fd, piece, sizeof piece, 0);
        if (got < 0 && errno == EAGAIN)
            return;
        if (got <= 0) {
            ended(socket);
            return;
        }
        Nanos now = now_ns();
        if (socket->in.size) {
            append(&socket->in, piece, got);
            size_t taken = take_all(socket, socket->in.bytes, socket->in.size, now);
            if (socket->fd >= 0)
                drop_front(&socket->in, taken);
        } else {
            size_t taken = take_all(socket, piece, got, now);
            if (taken < (size_t)got && socket->fd >= 0)
                append(&socket->in, piece + taken, got - taken);
        }
        if (scenario->read_all && socket->state == READY)
            scenario->read_all(socket, now);
        if (got < (ssize_t)sizeof piece || socket->fd < 0)
            return;
    }
}

/* ---------- the turn */

static void arm(Nanos until)
{
    static Nanos armed;
    if (armed == until)
        return;
    armed = until; /* 0 disarms */
    struct itimerspec at = {.it_value = {until / SECOND, until % SECOND}};
    timerfd_settime(timer, TFD_TIMER_ABSTIME, &at, NULL);
}

static void serve(Socket *socket, uint32_t events)
{
    if (socket->fd < 0)
        return; /* it ended in this very turn */
    if (events & EPOLLOUT && socket->state == CONNECTING && !(events & (EPOLLHUP | EPOLLERR)))
        shake(socket);
    else if (events & EPOLLOUT)
        flush(socket);
    if (socket->fd >= 0 && events & (EPOLLIN | EPOLLHUP | EPOLLERR))
        read_socket(socket);
}

/* Looks again and again instead of sleeping: to wake a sleeper on another core costs the server's core up to
 * as much as the send itself, and none of that is paid for clients that are on other machines.
 */
static int look_until(Nanos until, struct epoll_event *events)
{
    for (Nanos before = processor_ns(), after; now_ns() < until; before = after) {
        int count = epoll_wait(epoll, events, EVENTS, 0);
        if (count)
            return count;
        after = processor_ns();
        idle_ns += after - before;
    }
    return 0;
}

static int sleep_until(Nanos until, struct epoll_event *events)
{
    bool due = until && until <= now_ns();
    if (!due)
        arm(until);
    return epoll_wait(epoll, events, EVENTS, due ? 0 : 1000);
}

void wait_for_events(Nanos until)
{
    struct epoll_event events[EVENTS];
    int count = options.awake && recording ? look_until(until, events) : sleep_until(until, events);
    for (int i = 0; i < count; i++) {
        uint64_t fired;
        if (events[i].data.ptr)
            serve(events[i].data.ptr, events[i].events);
        else if (read(timer, &fired, sizeof fired) < 0 && errno != EAGAIN)
            perror("timer");
    }
}
