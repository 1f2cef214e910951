/// Returns the length in bytes of a character with this lead byte, or `nil` if it is invalid.
func utf8Length(lead: UInt8) -> Int? {
  switch lead {
  case 0..<0x80: 1
  case 0xC2..<0xE0: 2
  case 0xE0..<0xF0: 3
  case 0xF0..<0xF5: 4
  default: nil
  }
}

/// Returns the length in bytes of the complete, valid character at the start; `nil` if there is
/// none.
func utf8Length(_ bytes: ArraySlice<UInt8>) -> Int? {
  guard let lead = bytes.first, let length = utf8Length(lead: lead), bytes.count >= length else {
    return nil
  }
  if length == 1 { return 1 }
  let second = bytes[bytes.startIndex + 1]
  switch lead {
  case 0xE0 where second < 0xA0, 0xED where second >= 0xA0, 0xF0 where second < 0x90,
    0xF4 where second >= 0x90:
    return nil
  default: break
  }
  let tail = bytes.dropFirst().prefix(length - 1)
  return tail.allSatisfy { $0 & 0xC0 == 0x80 } ? length : nil
}
