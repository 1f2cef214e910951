print("natter-bench")
