package watch

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Bounds of the processes and threads of a group: tasks without a number of processes,
// otherwise spare and perProcess for each. They only bound what a program starts before its
// guard has counted it, so they need not be tight.
const (
	tasks      = 4096
	spare      = 1024
	perProcess = 64
)

// NewGroup creates a control group (cgroups(7)) for a program of so many processes, 0 for any
// number, and returns its folder. The kernel lets it grow to a number of processes and threads
// and no further. It lies below the group of this process, whose limits apply as well. NewGroup
// returns "" where this process may not create such a group.
func NewGroup(processes int) string {
	most := tasks
	if processes > 0 {
		most = spare + perProcess*processes
	}
	return newGroup(most)
}

func newGroup(most int) string {
	parent, unified := ownGroup()
	if parent == "" {
		return ""
	}
	dir, err := os.MkdirTemp(parent, "sparrowhall-")
	if err != nil {
		return ""
	}
	if unified {
		// A group that holds processes, as the parent does, may have groups with limits
		// below it only if these are threaded.
		err = errors.Join(write(dir, "cgroup.type", "threaded"), write(parent, "cgroup.subtree_control", "+pids"))
	}
	if err := errors.Join(err, write(dir, "pids.max", strconv.Itoa(most))); err != nil {
		_ = syscall.Rmdir(dir) // it is empty
		return ""
	}
	return dir
}

// EndGroup ends all processes of a group and removes it, and waits a few seconds at most. It
// does nothing if the group is gone or "".
func EndGroup(dir string) {
	if dir == "" {
		return
	}
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if err := clearGroup(dir); err == nil || errors.Is(err, fs.ErrNotExist) {
			return
		}
	}
}

// clearGroup keeps a group from growing, kills its processes and removes it. The error is
// that of the removal.
func clearGroup(dir string) error {
	_ = write(dir, "pids.max", "0") // if it is gone, so is what it held
	for _, field := range members(dir) {
		if id, err := strconv.Atoi(field); err == nil && id > 0 {
			_ = syscall.Kill(id, syscall.SIGKILL) // it may have ended
		}
	}
	return remove(dir)
}

// remove removes a group and those below it.
func remove(dir string) error {
	for _, sub := range below(dir) {
		_ = remove(sub) // or else removing dir fails
	}
	return syscall.Rmdir(dir)
}

// members returns the ids of all processes and threads of a group and those below it; none
// if the group is gone.
func members(dir string) []string {
	text, err := os.ReadFile(dir + "/cgroup.threads")
	if err != nil {
		text, _ = os.ReadFile(dir + "/tasks") // its name in version 1
	}
	ids := strings.Fields(string(text))
	for _, sub := range below(dir) {
		ids = append(ids, members(sub)...)
	}
	return ids
}

func below(dir string) (groups []string) {
	entries, _ := os.ReadDir(dir) // it may be gone
	for _, e := range entries {
		if e.IsDir() {
			groups = append(groups, dir+"/"+e.Name())
		}
	}
	return groups
}

// exceeds reports whether a group has more than so many processes.
func exceeds(dir string, most int) bool {
	ids := members(dir)
	for i, n := 0, 0; i < len(ids) && n+len(ids)-i > most; i++ {
		// The first thread of a process has its number.
		status, _ := os.ReadFile("/proc/" + ids[i] + "/status") // it may have ended
		if strings.Contains(string(status), "\nTgid:\t"+ids[i]+"\n") {
			if n++; n > most {
				return true
			}
		}
	}
	return false
}

// join moves this process into a group.
func join(dir string) error { return write(dir, "cgroup.procs", "0") }

func write(dir, name, text string) error {
	return os.WriteFile(dir+"/"+name, []byte(text), 0)
}

// ownGroup returns the folder of the control group of this process that limits processes, and
// whether it is of version 2. The folder is "" if there is none or it is not mounted.
var ownGroup = sync.OnceValues(func() (dir string, unified bool) {
	own, _ := os.ReadFile("/proc/self/cgroup")       // without it there are no groups
	mounts, _ := os.ReadFile("/proc/self/mountinfo") // without it none is mounted
	return findGroup(string(own), string(mounts))
})

// findGroup is ownGroup for the contents of /proc/self/cgroup and /proc/self/mountinfo.
func findGroup(own, mounts string) (dir string, unified bool) {
	path, found := "", false
	for line := range strings.Lines(own) {
		// "8:pids:/some/group", or "0::/some/group" of version 2.
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		if slices.Contains(strings.Split(parts[1], ","), "pids") {
			path, unified, found = parts[2], false, true
			break
		}
		if parts[0] == "0" {
			path, unified, found = parts[2], true, true
		}
	}
	if !found {
		return "", false
	}
	for line := range strings.Lines(mounts) {
		// "36 35 98:0 /root /mounted/at rw,noatime master:1 - cgroup cgroup rw,pids".
		where, what, ok := strings.Cut(strings.TrimSpace(line), " - ")
		w, k := strings.Fields(where), strings.Fields(what)
		if !ok || len(w) < 5 || len(k) < 3 {
			continue
		}
		pids := k[0] == "cgroup" && slices.Contains(strings.Split(k[2], ","), "pids")
		if unified && k[0] != "cgroup2" || !unified && !pids {
			continue
		}
		below, ok := strings.CutPrefix(path, strings.TrimSuffix(w[3], "/"))
		if ok && (below == "" || below[0] == '/') && !strings.Contains(below, "/..") {
			return strings.TrimSuffix(w[4]+below, "/"), unified
		}
	}
	return "", false
}
