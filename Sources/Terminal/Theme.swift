/// What a run of text is, as a small number; the theme decides how it looks.
///
/// Only `plain` is known here: the layer that draws declares its own in an extension, with the names theme files use.
package struct StyleRole: Hashable, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  package static let plain = StyleRole(rawValue: 0)
}
