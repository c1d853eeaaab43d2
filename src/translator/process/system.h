/* System calls that the translator does not simply pass on; system.def names them. */
#ifndef STRATA_TRANSLATOR_SYSTEM_H
#define STRATA_TRANSLATOR_SYSTEM_H

#include "translator/fragment/translator.h"

/* system.c */
/* What the program's registers ask for. */
struct call system_read_call(const struct context *context);
system_handler system_pass, system_refuse;
system_handler system_clone, system_sync_code;
system_handler system_exit, system_exit_group, system_tgkill, system_kill;

/* mappings.c */
system_handler system_brk, system_mmap, system_mprotect, system_munmap, system_madvise,
    system_mremap, system_shmat, system_shmdt;

/* own.c */
system_handler system_process_vm;

/* self.c */
system_handler system_openat, system_readlinkat, system_newfstatat, system_statx;

/* execve.c */
system_handler system_execve, system_execveat;

/* descriptors.c */
system_handler system_close, system_close_range, system_dup3, system_fcntl, system_getdents;

/* vfork.c: a call that makes a process which has this one's memory, or a copy of it. */
int64_t vfork_call(struct context *context, const struct call *call);
int64_t vfork_copy(struct context *context, const struct call *call);

/* fault_mask.c */
system_handler system_sigprocmask;

/* signal.c */
system_handler system_sigaction, system_sigreturn, system_sigaltstack;

#endif
