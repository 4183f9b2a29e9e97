// filled by the module's first commit
