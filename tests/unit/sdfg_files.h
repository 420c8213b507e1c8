// The files that round trips are tried on.
#pragma once

#include <algorithm>
#include <filesystem>
#include <vector>

/// All .sdfg and .sdfgz files below the folders that exist, sorted.
inline std::vector<std::filesystem::path>
sdfg_files(const std::vector<std::filesystem::path> &folders) {
  namespace fs = std::filesystem;
  std::vector<fs::path> files;
  for (const fs::path &folder : folders)
    if (fs::is_directory(folder))
      for (const auto &entry : fs::recursive_directory_iterator(folder))
        if (entry.path().extension() == ".sdfg" || entry.path().extension() == ".sdfgz")
          files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}
