import Terminal
import Testing
import ViewModels

@testable import Panes

/// Guide, sign-in, help and settings in Chinese, at the sizes of the wireframes.
@Suite struct ChineseSnapshotTests {
  private let language = "zh-Hans"

  @Test func `the first page of the guide at 80x24`() {
    #expect(
      picture(guidePane(page: 0, in: language), 80, 24) == """
        +- 欢迎使用 Natter   1/4 ----------------------------------------------+
        |                                                                      |
        |  Natter 是终端里的聊天桌面，使用 XMPP：可以任选服务器，也可以自己架  |
        |  设。                                                                |
        |                                                                      |
        |    聊天  每人一行，未读的在前                                        |
        |    历史  保存在这台电脑上，没有网络也能读                            |
        |    离线  随时可写，连上后自动发送                                    |
        |    /     命令：输入 / 再按 Tab                                       |
        |                                                                      |
        |  今天只需要三个键：                                                  |
        |    F1    当前位置的帮助                                              |
        |    ^J    换行；回车发送                                              |
        |    ^Q    退出                                                        |
        |                                                                      |
        | 主题    < auto >                                                     |
        |                                                                      |
        | [>下一页<]   [ 跳过向导 ]                                    * o o o |
        |                                                                      |
        | 回车 下一页   左/右 翻页   Esc 跳过   （再看：F1，然后 g）           |
        +----------------------------------------------------------------------+
        """)
  }

  @Test func `the first page of the guide at 40x15`() {
    #expect(
      picture(guidePane(page: 0, in: language), 40, 15) == """
        +- 欢迎使用 Natter   1/4 --------------+
        | 终端里的聊天桌面。                   |
        | 聊天  未读的在前                     |
        | 历史  保存在这台电脑上               |
        | 离线  随时可写                       |
        | /     再按 Tab：命令                 |
        | 今天只需要三个键：                   |
        | F1    帮助                           |
        | ^J    换行；回车发送                 |
        | ^Q    退出                           |
        | 主题 < auto >                        |
        |                                      |
        | [>下一页<] [ 跳过 ]          * o o o |
        +--------------------------------------+
        回车 下一页  左/右 翻页  Esc 跳过
        """)
  }

  @Test func `the last page of the guide at 80x24`() {
    #expect(
      picture(guidePane(page: 3, in: language), 80, 24) == """
        +- 欢迎使用 Natter   4/4 ----------------------------------------------+
        |                                                                      |
        |  就这些。想怎样开始？                                                |
        |                                                                      |
        |    登录        已有地址，如 alice@example.org                        |
        |    新账号      许多服务器免费提供，只要名字和密码                    |
        |    在这里试用  这台电脑上自己的服务器：不要网络，不要账号            |
        |                                                                      |
        |                                                                      |
        |                                                                      |
        |                                                                      |
        |                                                                      |
        |                                                                      |
        |                                                                      |
        |                                                                      |
        |                                                                      |
        |                                                                      |
        | [>登录<]   [ 新账号 ]   [ 在这里试用 ]                       o o o * |
        |                                                                      |
        | 回车 选定   左/右 翻页   Esc 跳过   （再看：F1，然后 g）             |
        +----------------------------------------------------------------------+
        """)
  }

  @Test func `the sign-in form at 80x24`() {
    #expect(
      picture(filledSignInPane(in: language), 80, 24) == """
        +- 登录 ---------------------------------------------------------+
        |                                                                |
        |>地址    [alice@example.org                                   ] |
        |          Natter 将联系 example.org                             |
        | 密码    [                                                    ] |
        |          Alt+V 显示输入的内容                                  |
        |                                                                |
        | [x] 在这台电脑上记住我                                         |
        | [x] Natter 启动时登录                                          |
        |                                                                |
        | [ 登录 ]   [ 新账号... ]                                       |
        |                                                                |
        | v 高级：服务器、端口、TLS、证书                                |
        |                                                                |
        |                                                                |
        |                                                                |
        | Tab 下一项   回车 登录   ^Q 退出   F1 帮助                     |
        +----------------------------------------------------------------+
        """)
  }

  @Test func `the sign-in form at 40x15`() {
    #expect(
      picture(filledSignInPane(in: language), 40, 15) == """
        +- 登录 -------------------------------+
        |>地址 [alice@example.org            ] |
        |   Natter 将联系 example.org          |
        | 密码 [                             ] |
        |   Alt+V 显示输入的内容               |
        |                                      |
        | [x] 记住我                           |
        | [x] 启动时登录                       |
        |                                      |
        | [ 登录 ] [ 新账号 ]                  |
        |                                      |
        | v 高级                               |
        |                                      |
        +--------------------------------------+
        Tab 下一项  回车 登录  ^Q 退出  F1 帮助
        """)
  }

  @Test func `the help at 120x40`() {
    #expect(
      picture(helpPane(in: language), 120, 40) == """
        +- 帮助：输入行   (1/4) ---------------------------------------------------------------------------+
        |                                                                                                  |
        |  当前区域                                        任何地方                                        |
        |  回车        发送                                F1            帮助                              |
        |  ^J          换行                                ^O, Alt+X     前往任何地方，执行任何操作        |
        |  Tab         补全命令、地址、名字、路            F2..F6        标签页：聊天、联系人 ... 我       |
        |              径、:emoji                          ^X Tab        下一个标签页                      |
        |  Shift+Tab   前一个候选                          Alt+N         下一个账号                        |
        |  上          以前输入的                          Alt+A         下一个未读会话                    |
        |  下          以后输入的                          ^N, Alt+下    下一个会话                        |
        |  ^R          查找输入过的内容                    ^P, Alt+上    上一个会话                        |
        |  ^X ^E       用自己的编辑器修改文字              Alt+Z         回到刚才的会话                    |
        |                                                  Tab, F7       下一个区域（输入为空时）          |
        |                                                  Shift+Tab     上一个区域                        |
        |                                                  Esc, ^G       关闭，或回到输入                  |
        |                                                  Alt+S         显示或隐藏侧栏                    |
        |                                                  Alt+M         显示或隐藏聊天室里的人            |
        |                                                  Alt+L         纯文本视图，用鼠标选取文字        |
        |                                                  Alt+T         日间或夜间                        |
        |                                                  Alt+W         隐藏这个会话                      |
        |                                                  Alt+R         回复消息                          |
        |                                                  Alt+E         修改消息                          |
        |                                                  ^X o          这个会话的链接和文件              |
        |                                                  Alt+U         选择要发送的文件                  |
        |                                                  Alt+I         插入表情                          |
        |                                                  ^X |          并排两个会话，或恢复为一个        |
        |                                                  ^X -          上下两个会话，或恢复为一个        |
        |                                                  F9            到另一个会话                      |
        |                                                  PgUp          向上翻页                          |
        |                                                  PgDn          向下翻页                          |
        |                                                  End           最新的消息                        |
        |                                                  Home          最早的消息                        |
        |                                                                                                  |
        |  没有 Alt 键？先按 ^X 再按字母：^X a = Alt+A。                                                   |
        |  Esc 关闭   PgDn 更多   / 查找   g 向导                                                          |
        +------------------------------------------------------------------------------------------------v-+
        """)
  }

  @Test func `the help at 80x24`() {
    #expect(
      picture(helpPane(in: language), 80, 24) == """
        +- 帮助：输入行   (1/4) ---------------------------------------------------+
        |                                                                          |
        |  当前区域                            任何地方                            |
        |  回车        发送                    F1            帮助                  |
        |  ^J          换行                    ^O, Alt+X     前往任何地方，执行    |
        |  Tab         补全命令、地址、名                    任何操作              |
        |              字、路径、:emoji        F2..F6        标签页：聊天、联系    |
        |  Shift+Tab   前一个候选                            人 ... 我             |
        |  上          以前输入的              ^X Tab        下一个标签页          |
        |  下          以后输入的              Alt+N         下一个账号            |
        |  ^R          查找输入过的内容        Alt+A         下一个未读会话        |
        |  ^X ^E       用自己的编辑器修改文    ^N, Alt+下    下一个会话            |
        |              字                      ^P, Alt+上    上一个会话            |
        |                                      Alt+Z         回到刚才的会话        |
        |                                      Tab, F7       下一个区域（输入为    |
        |                                                    空时）                |
        |                                                                          |
        |  没有 Alt 键？先按 ^X 再按字母：^X a = Alt+A。                           |
        |  Esc 关闭   PgDn 更多   / 查找   g 向导                                  |
        +------------------------------------------------------------------------v-+
        """)
  }

  @Test func `the help at 40x15`() {
    #expect(
      picture(helpPane(in: language), 40, 15) == """
        +- 帮助：输入行   (1/4) ---------------+
        | 当前区域                             |
        | 回车        发送                     |
        | ^J          换行                     |
        | Tab         补全命令、地址、名字、路 |
        |             径、:emoji               |
        | Shift+Tab   前一个候选               |
        | 上          以前输入的               |
        | 下          以后输入的               |
        | ^R          查找输入过的内容         |
        | ^X ^E       用自己的编辑器修改文字   |
        |                                      |
        | Esc 关闭  PgDn 更多  / 查找  g 向导  |
        +------------------------------------v-+
        """)
  }

  @Test func `the settings at 120x40`() async {
    let harness = await settingsHarness(Size(rows: 40, columns: 120), in: language)
    #expect(
      harness.picture == """
         F2 聊天 3  F3 联系人  F5 文件 [F6 我]                                                  alice@example.org  * 在线  14:02
                                   | > 外观
         > 外观                    |
           提醒                    |   主题          natter-night
           隐私                    | > 语言          zh-Hans
           文件                    |   输入行的按键  emacs
           连接                    |   时钟          开
           日志                    |   鼠标          开
           关于                    |   会话列表      开
                                   |   减少动态      关
                                   |
                                   | 语言。auto：按环境（LC_ALL、LC_MESSAGES、LANG）。
                                   | 默认：自动
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |

        F1 帮助  回车 打开  上/下 选择  左/右 更改  ^O 前往  Alt+A 下一未读  ^N/^P 会话  Tab 区域  ^Q 退出
        """)
  }

  @Test func `the settings at 80x24`() async {
    let harness = await settingsHarness(Size(rows: 24, columns: 80), in: language)
    #expect(
      harness.picture == """
         F2 聊天 3  F3 联系人  F5 文件 [F6 我]          alice@example.org  * 在线  14:02
                             | > 外观
         > 外观              |
           提醒              |   主题          natter-night
           隐私              | > 语言          zh-Hans
           文件              |   输入行的按键  emacs
           连接              |   时钟          开
           日志              |   鼠标          开
           关于              |   会话列表      开
                             |   减少动态      关
                             |
                             | 语言。auto：按环境（LC_ALL、LC_MESSAGES、LANG）。
                             | 默认：自动
                             |
                             |
                             |
                             |
                             |
                             |
                             |
                             |
                             |

        F1 帮助  回车 打开  上/下 选择  左/右 更改  ^O 前往  Alt+A 下一未读  ^N/^P 会话
        """)
  }

  @Test func `the settings at 40x15`() async {
    let harness = await settingsHarness(Size(rows: 15, columns: 40), in: language)
    #expect(
      harness.picture == """
         F2 4  F3  F5 [我]          * 在线 14:02
         > 外观

           主题          natter-night
         > 语言          zh-Hans
           输入行的按键  emacs
           时钟          开
           鼠标          开
           会话列表      开
           减少动态      关

         语言。auto：按环境
         （LC_ALL、LC_MESSAGES、LANG）。
         默认：自动

        """)
  }
}
