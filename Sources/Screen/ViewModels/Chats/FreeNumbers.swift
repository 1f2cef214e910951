/// The unused numbers, from 1.
nonisolated struct FreeNumbers {
  let taken: Set<Int>
  private var next = 1

  init(taken: Set<Int>) { self.taken = taken }

  mutating func take() -> Int {
    while taken.contains(next) { next += 1 }
    defer { next += 1 }
    return next
  }
}
