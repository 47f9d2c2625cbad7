// Cut files: a mapped file that somebody cuts short has no pages behind its new end, and a touch there is SIGBUS, which
// ends the process. A program that has called survive_cut_files() reads zeros there instead, and the mapping is marked:
// who asks before he believes what he has read (MappedFile::still_whole) turns the loss into an error of his work.
//
// A disk that cannot be read has the same effect. Errors of the machine's memory (BUS_MCEERR_*) and addresses of no
// watched mapping are left to whom they belonged before. Thread-safety: concurrently; survive_cut_files() once, at the
// start of a program; a library does not take a signal.
#pragma once

#include "support/bytes.h"

namespace cuzk {

void survive_cut_files() noexcept;

/// A mapping of this process that may be repaired, until it is forgotten, which is before it ends. Thousands can be
/// watched; SIGBUS does in others what it did before.
void watch_mapping(Bytes mapping) noexcept;
void forget_mapping(Bytes mapping) noexcept;
/// Whether zeros have been put in the place of what the file had.
bool was_cut(Bytes mapping) noexcept;

}  // namespace cuzk
