import NatterCore

/// The actions of the program around the shell on links and locations.
package struct LinkActions {
  /// Opens a URL with the program that is configured for it.
  package var open: (String) -> Void
  /// Opens a `geo:` URI with the program of the desktop; the closure is called if there is none, or
  /// if it fails.
  package var openLocation: (String, @escaping @MainActor @Sendable () -> Void) -> Void
  /// The address of a map, with `{lat}` and `{lon}` in it.
  package var map: () -> String
  /// Returns the output of the program that finds out where this computer is; `nil`: none is set.
  /// Throws `NatterError`.
  package var findLocation: () async throws -> String?

  package init(
    open: @escaping (String) -> Void = { _ in },
    openLocation: @escaping (String, @escaping @MainActor @Sendable () -> Void) -> Void = {
      $1()
    },
    map: @escaping () -> String = { "https://map.example/?mlat={lat}&mlon={lon}" },
    findLocation: @escaping () async throws -> String? = { nil }
  ) {
    self.open = open
    self.openLocation = openLocation
    self.map = map
    self.findLocation = findLocation
  }
}
