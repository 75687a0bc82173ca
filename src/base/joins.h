// Which thread another one of this process waits for to end: pthread_join, std::thread::join, the result of
// std::async. Asked of the system, by the word in memory that a join sleeps on; where the system or the C
// library keeps that to itself the answer is "none".
#pragma once

namespace ingot {

// Threads by the system's numbers.
int this_thread_number();
int thread_joined_by(int thread);  // 0: none, or nobody tells

}  // namespace ingot
