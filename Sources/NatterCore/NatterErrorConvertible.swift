/// An error of a module that knows in which words a person is told it.
///
/// It lets a service pass on what a port threw without knowing the module behind the port.
package protocol NatterErrorConvertible: Error {
  var natterError: NatterError { get }
}

extension NatterError {
  /// What a person is told of `error`: its own words where it has some, else the text `key`.
  package init(telling error: any Error, orElse kind: Kind = .unexpected, key: String) {
    switch error {
    case let error as NatterError: self = error
    case let error as any NatterErrorConvertible: self = error.natterError
    default: self.init(kind, key)
    }
  }
}
