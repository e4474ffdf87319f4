/* WebSocket frames as bytes: what clients send is masked, what servers send is not (RFC 6455, 5.2). */
#include "load.h"

#include <string.h>

static const unsigned char MASK[4] = {0x37, 0xfa, 0x21, 0x3d};

size_t put_frame(unsigned char *to, int opcode, const void *payload, size_t size)
{
    const unsigned char *bytes = payload;
    size_t at = 0;
    to[at++] = 0x80 | opcode;
    if (size < 126) {
        to[at++] = 0x80 | size;
    } else {
        to[at++] = 0x80 | 126;
        to[at++] = size >> 8;
        to[at++] = size & 255;
    }
    memcpy(to + at, MASK, sizeof MASK);
    at += sizeof MASK;
    for (size_t i = 0; i < size; i++)
        to[at++] = bytes[i] ^ MASK[i & 3];
    return at;
}

/* The first frame, if all of it is there. */
bool take_frame(const unsigned char *bytes, size_t size, Frame *frame)
{
    if (size < 2)
        return false;
    size_t head = 2, length = bytes[1] & 127;
    if (length >= 126) {
        head = length == 126 ? 4 : 10;
        if (size < head)
            return false;
        length = 0;
        for (size_t i = 2; i < head; i++)
            length = length << 8 | bytes[i];
    }
    if (size - head < length)
        return false;
    *frame = (Frame){bytes[0] & 15, bytes + head, length, head + length};
    return true;
}

/* The value of the first member of that name, a text or a number; names come quoted: "\"roomId\":". */
const char *member(const char *text, size_t size, const char *name, char *to, size_t room)
{
    const char *found = memmem(text, size, name, strlen(name));
    if (!found)
        return NULL;
    const char *from = found + strlen(name), *end = text + size;
    bool quoted = from < end && *from == '"';
    from += quoted;
    size_t taken = 0;
    while (from < end && taken + 1 < room && (quoted ? *from != '"' : *from != ',' && *from != '}'))
        to[taken++] = *from++;
    to[taken] = 0;
    return from;
}
