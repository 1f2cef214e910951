import Configuration
import NatterCore
import Panes
import Terminal

/// Has `chafa` make signs in colours of pictures, where it is installed.
///
/// It unpacks what came from somebody else, so it gets little time and memory, and of what it prints only signs and colours
/// are taken.
nonisolated struct ChafaRenderer: Sendable {
  private let program: String
  private let colors: String

  private static let limit = Duration.seconds(10)
  /// The most that is read of what it prints, in bytes: a cell takes some fifty of them, with both of its colours.
  private static let outputLimit = 8 << 20
  /// Seconds of work, and kilobytes of memory.
  private static let limits = "ulimit -t 8; ulimit -v 2000000; exec \"$@\""

  /// - Returns: `nil` where it is not installed.
  init?(depth: ColorDepth, environment: [String: String]) {
    guard let found = OtherProgram("chafa", [], environment: environment) else { return nil }
    program = found.path
    colors =
      switch depth {
      case .mono: "none"
      case .eight: "8"
      case .sixteen: "16"
      // Without the first sixteen, which look as everybody likes.
      case .indexed, .truecolor: "240"
      }
  }

  /// - Parameter size: all of it is filled: it has the picture's shape as nearly as cells can, where `chafa` would round down.
  /// - Returns: `nil` when nothing came of it.
  func cells(of picture: PictureFile, _ size: Size, _ signs: PictureMeans.Signs) async
    -> PictureCells?
  {
    let output = await printed(
      of: picture, size,
      ["--format", "symbols", "--optimize", "3", "--colors", colors, "--stretch"] + look(of: signs))
    return output.flatMap { PictureCells(printed: $0, limit: size) }
  }

  /// Few colours have nothing between them: blocks are sown of them. Letters would be a jumble.
  private func look(of signs: PictureMeans.Signs) -> [String] {
    if signs == .letters { return ["--symbols", "ascii"] }
    return ["none", "8"].contains(colors) ? ["--dither", "diffusion"] : []
  }

  /// What it prints of a picture; `nil` when it could not be, or is too much.
  /// - Parameter size: in what it takes for cells.
  func printed(of picture: PictureFile, _ size: Size, _ options: [String]) async -> [UInt8]? {
    let run = ProgramRun(
      path: "/bin/sh",
      arguments: ["-c", Self.limits, "sh", program] + options + [
        "--animate", "off", "--threads", "1", "--size", "\(size.columns)x\(size.rows)", "--",
        picture.path,
      ],
      outputLimit: Self.outputLimit)
    guard let result = try? await run.result(within: Self.limit), result.status == 0, !result.isCut
    else { return nil }
    return result.output
  }
}
