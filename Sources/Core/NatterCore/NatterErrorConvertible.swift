/// An error of a module that provides its own text for the user.
///
/// It lets a service pass on an error of a port without depending on the module behind the port.
package protocol NatterErrorConvertible: Error {
  var natterError: NatterError { get }
}

extension NatterError {
  /// The error to show for `error`: its own text if it has one, otherwise the text `key`.
  package init(reporting error: any Error, orElse kind: Category = .unexpected, key: String) {
    switch error {
    case let error as NatterError: self = error
    case let error as any NatterErrorConvertible: self = error.natterError
    default: self.init(kind, key)
    }
  }
}
