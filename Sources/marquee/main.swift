await runCommandLine()
