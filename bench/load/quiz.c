/* How the clients of a quiz come to sit: the first of each room makes it, the others join.
 *
 * A peer's game has no rooms to make: who is in a room is in the path, and a socket that is ready sits.
 */
#include "load.h"

#include <stdio.h>
#include <string.h>

static const char CREATE[] = "{\"type\":\"CREATE_ROOM\",\"name\":\"Host\",\"settings\":{\"autoAdvance\":false,"
                             "\"questionCount\":50,\"secondsPerQuestion\":30}}";
int seated_count;

static Socket *host_of(const Socket *socket) { return &sockets[socket->index % options.rooms]; }

static void sit(Socket *socket)
{
    seated_count += !socket->seated;
    socket->seated = true;
}

static void join(Socket *socket)
{
    char text[2 * TOKEN_MAX];
    int size = snprintf(text, sizeof text, "{\"type\":\"JOIN_ROOM\",\"roomCode\":\"%s\",\"name\":\"Bot %d\"}",
                        host_of(socket)->code, socket->index);
    send_text(socket, text, size);
}

void ready_to_sit(Socket *socket)
{
    if (!options.quiz)
        sit(socket);
    else if (host_of(socket) == socket && !*socket->code)
        send_text(socket, CREATE, sizeof CREATE - 1);
    else if (*host_of(socket)->code && !*socket->ticket)
        join(socket);
}

static void keep_ticket(Socket *socket, const char *text, size_t size)
{
    char room[TOKEN_MAX] = "", seat[TOKEN_MAX] = "", token[TOKEN_MAX] = "";
    member(text, size, NULL, "\"roomId\":", room, sizeof room);
    member(text, size, NULL, "\"seatId\":", seat, sizeof seat);
    member(text, size, NULL, "\"reconnectToken\":", token, sizeof token);
    snprintf(socket->ticket, sizeof socket->ticket, "?roomId=%s&playerSeatId=%s&reconnectToken=%s&clientId=c%d",
             room, seat, token, socket->index);
}

void heard_of_seat(Socket *socket, const char *text, size_t size)
{
    if (is_type(text, size, "ROOM_STATE")) {
        sit(socket); /* back with its ticket */
    } else if (is_type(text, size, "ROOM_JOINED")) {
        keep_ticket(socket, text, size);
        sit(socket);
        if (host_of(socket) != socket)
            return;
        member(text, size, NULL, "\"roomCode\":", socket->code, sizeof socket->code);
        for (int i = socket->index + options.rooms; i < options.sockets; i += options.rooms)
            if (sockets[i].state == READY)
                join(&sockets[i]);
    } else if (is_type(text, size, "ERROR")) {
        fprintf(stderr, "%.*s\n", (int)size, text);
        fail("an error");
    }
}

void hosts_say(const char *text)
{
    for (int i = 0; i < options.rooms; i++)
        send_text(&sockets[i], text, strlen(text));
}
