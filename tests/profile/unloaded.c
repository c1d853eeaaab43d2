/* The library of unloads.c: what it executes is most of what that program does. */
long work(long turns);

__attribute__((noinline)) static long turn(long turns)
{
    long sum = 0;
    for (long i = 0; i < turns; i++) {
        sum += (i * i ^ 3) % 7;
    }
    return sum;
}

long work(long turns)
{
    return turn(turns) + 1;
}
