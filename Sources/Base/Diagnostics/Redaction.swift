/// A value that must not be in a log: its description contains at most its size.
///
///     log.debug("stored \(Redacted(message.body))")     // stored [12 characters]
package struct Redacted<Value>: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The value itself.
  package let value: Value
  package init(_ value: Value) { self.value = value }

  package var description: String {
    switch value {
    case let text as String: "[\(text.count) characters]"
    case let bytes as any Collection<UInt8>: "[\(bytes.count) bytes]"
    default: "[redacted]"
    }
  }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Redacted: Sendable where Value: Sendable {}
extension Redacted: Equatable where Value: Equatable {}
