import NatterCore
import Text

extension ItemFormat {
  /// Returns the reason why messages could not be read.
  func loadFailure(_ error: any Error) -> String {
    let cause = ((error as? any NatterErrorConvertible)?.natterError ?? error as? NatterError)
      .map { text($0.notice) }
    return localizer("timeline.loadFailed", ["reason": cause ?? localizer("error.storage")])
  }
}
