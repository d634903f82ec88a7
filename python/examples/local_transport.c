/* A client of the local transport in C: it plays tables that somebody else has
 * opened (Open, Attach), always by the first legal action, and prints what was
 * won and lost. docs/local-transport.md describes the memory, local_transport.py
 * opens the tables and starts this program.
 *
 *     cc -O2 -o local_transport local_transport.c
 *     ./local_transport PATH SIZE ROUNDS    the rows of the first batch on standard input
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ANSWERS = 1, BATCH = 3, ASKED = 1, TABLE = 0, PLAYER = 1, STEP = 2, FLAGS = 3, REWARD = 4, MASK = 6 };

struct column { uint64_t at; uint32_t bytes, unused; };

struct header {
    char magic[8];
    uint32_t version, columns;
    uint8_t token[16];
    uint64_t size;
    uint32_t slots, frames;
    uint64_t slots_at, slot_size, frames_at, frame_size;
    uint32_t slot_rows, frame_rows, slot_columns[4];
    uint8_t gap[256 - 104];
    struct column column[112];
    _Alignas(64) _Atomic uint32_t requests;
    _Alignas(64) _Atomic uint32_t responses;
    _Alignas(64) _Atomic uint32_t server_sleeps;
    _Alignas(64) _Atomic uint32_t client_sleeps;
    _Atomic uint32_t processor;
    _Alignas(64) _Atomic uint32_t spin;
    _Alignas(64) _Atomic uint32_t ended;
};

struct request { uint32_t kind, frame, rows, of; uint64_t id; };
struct answer { uint32_t kind, lasts, rows, flags; uint64_t id; };

/* A row that must be answered. */
struct row { uint32_t table, step; uint8_t player, action; };

static void futex(_Atomic uint32_t *word, int operation, uint32_t value) {
    struct timespec patience = {0, 100000000};
    syscall(SYS_futex, word, operation, value, &patience, 0, 0);
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    size_t size = strtoull(argv[2], 0, 10);
    int file = open(argv[1], O_RDWR | O_CLOEXEC);
    struct header *h = file < 0 ? MAP_FAILED : mmap(0, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (h == MAP_FAILED || memcmp(h->magic, "hall_shm", 8) || h->version != 1 || h->size != size) {
        fprintf(stderr, "%s is no memory to share\n", argv[1]);
        return 1;
    }
    puts("mapped"), fflush(stdout);
    struct row *rows = calloc(h->slot_rows, sizeof *rows);
    unsigned table, player, step, action, n = 0;
    while (n < h->slot_rows && scanf("%u %u %u %u", &table, &player, &step, &action) == 4)
        rows[n++] = (struct row){table, step, player, action};
    int64_t won = 0, lost = 0, decisions = 0;
    for (uint32_t k = 0, rounds = strtoul(argv[3], 0, 10); k < rounds; k++) {
        uint32_t number = k % h->frames;
        uint8_t *slot = (uint8_t *)h + h->slots_at + (k % h->slots) * h->slot_size;
        uint8_t *frame = (uint8_t *)h + h->frames_at + number * h->frame_size;
        *(struct request *)slot = (struct request){ANSWERS, number, n, 0, k};
        for (unsigned i = 0; i < n; i++) {
            ((uint32_t *)(slot + h->slot_columns[0]))[i] = rows[i].table;
            (slot + h->slot_columns[1])[i] = rows[i].player;
            ((uint32_t *)(slot + h->slot_columns[2]))[i] = rows[i].step;
            (slot + h->slot_columns[3])[i] = rows[i].action;
        }
        decisions += n;
        atomic_store(&h->requests, k + 1);
        if (atomic_load(&h->server_sleeps)) futex(&h->requests, FUTEX_WAKE, 1);
        while (atomic_load(&h->responses) == k && !atomic_load(&h->ended)) {
            atomic_store(&h->processor, sched_getcpu() + 1);
            atomic_store(&h->client_sleeps, 1);
            if (atomic_load(&h->responses) == k) futex(&h->responses, FUTEX_WAIT, k);
            atomic_store(&h->client_sleeps, 0);
        }
        struct answer *a = (struct answer *)frame;
        if (a->kind != BATCH || a->id != k) {
            fprintf(stderr, "request %u is answered by kind %u\n", k, a->kind);
            return 1;
        }
        n = 0;
        for (uint32_t i = 0; i < a->rows; i++) {
            int32_t reward = ((int32_t *)(frame + h->column[REWARD].at))[i];
            *(reward > 0 ? &won : &lost) += reward;
            if (!((frame + h->column[FLAGS].at)[i] & ASKED)) continue;
            uint64_t *mask = (uint64_t *)(frame + h->column[MASK].at) + 3 * i;
            int word = mask[0] ? 0 : mask[1] ? 1 : 2;
            rows[n++] = (struct row){
                ((uint32_t *)(frame + h->column[TABLE].at))[i], ((uint32_t *)(frame + h->column[STEP].at))[i],
                (frame + h->column[PLAYER].at)[i], 64 * word + __builtin_ctzll(mask[word]),
            };
        }
    }
    printf("%lld %lld %lld\n", (long long)decisions, (long long)won, (long long)lost);
    return 0;
}
