import CSandbox
import Crypto
import FoundationEssentials
import ScriptService
import Text

nonisolated extension ScriptFolders {
  /// The folders of a profile.
  /// - Parameter resources: the folder with what comes with Natter.
  init(_ paths: Paths, resources: URL) {
    self.init(
      user: paths.config.appending(path: "scripts").path,
      shipped: resources.appending(path: "scripts").path,
      data: paths.data.appending(path: "scripts").path,
      state: paths.state.appending(path: "scripts").path)
  }
}

nonisolated extension ScriptCatalogue {
  /// The scripts of these folders, with digests by OpenSSL.
  init(_ folders: ScriptFolders, languages: [String], crypto: CryptoLibrary) {
    self.init(folders, languages: languages) { bytes in
      (try? crypto.hash(bytes, by: .sha256))?.map { byte in
        (byte < 0x10 ? "0" : "") + String(byte, radix: 16)
      }.joined()
    }
    isPrivate = { path, group in
      // An access control list can name further users, whatever the group is.
      group == PrivateGroup.own && natter_sandbox_has_access_list(path) == 0
    }
  }
}

extension ScriptFolders {
  /// The folders of the profile in which the program runs.
  init(_ context: LaunchContext) { self.init(context.paths, resources: context.resources) }
}

extension ScriptCatalogue {
  /// The scripts of the profile, with texts in the language of the program.
  init(_ context: LaunchContext) {
    self.init(
      ScriptFolders(context),
      languages: [context.localizer.tag]
        + LanguageChoice.read(besides: context.localizer.tag, context.environment),
      crypto: context.crypto)
  }
}
