package watch

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/testkit/poll"
)

// TestFindGroup holds what the system says of groups against where they are.
func TestFindGroup(t *testing.T) {
	const (
		one = "25 20 0:22 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n" +
			"26 25 0:23 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n" +
			"27 25 0:24 / /sys/fs/cgroup/pids rw shared:9 - cgroup cgroup rw,pids\n" +
			"28 25 0:25 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
		two       = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
		container = "27 25 0:24 /docker/1a2b /sys/fs/cgroup/pids ro - cgroup cgroup rw,pids\n"
	)
	for _, c := range []struct {
		own, mounts, dir string
		unified          bool
	}{
		{"9:cpu:/x\n8:pids:/\n0::/\n", one, "/sys/fs/cgroup/pids", false},
		{"9:cpu:/x\n8:hugetlb,pids:/some/group\n0::/other\n", one, "/sys/fs/cgroup/pids/some/group", false},
		{"8:pids:/docker/1a2b\n", container, "/sys/fs/cgroup/pids", false},
		{"8:pids:/docker/1a2b/c\n", container, "/sys/fs/cgroup/pids/c", false},
		{"8:pids:/docker/1a2bc\n", container, "", false}, // another's
		{"8:pids:/elsewhere\n", container, "", false},
		{"0::/user.slice/user-1000.slice/a:b.scope\n", two, "/sys/fs/cgroup/user.slice/user-1000.slice/a:b.scope", true},
		{"0::/\n", two, "/sys/fs/cgroup", true},
		{"0::/../other\n", two, "", true}, // beyond what the process may see
		{"8:pids:/\n", two, "", false},    // not mounted
		{"", one, "", false},
		{"0::/\n", "", "", true},
		{"junk\n8\n", "junk\n- - -\n", "", false},
	} {
		dir, unified := findGroup(c.own, c.mounts)
		if dir != c.dir || dir != "" && unified != c.unified {
			t.Errorf("%q: %q, version 2 %v; want %q, %v", c.own, dir, unified, c.dir, c.unified)
		}
	}
}

// TestGroup checks that a group grows no further than it may, and ends with all
// that it holds, the groups below it included.
func TestGroup(t *testing.T) {
	dir := newGroup(8)
	if dir == "" {
		t.Skip("this process may make no control groups that limit processes")
	}
	defer EndGroup(dir)
	// A shell that starts processes until it may start no more, each in a session of
	// its own, and one in a group below.
	script := `echo 0 > "$1/cgroup.procs" || exit 9
mkdir "$1/below" && { echo threaded > "$1/below/cgroup.type"; echo 0 > "$1/below/cgroup.procs"; } 2> /dev/null
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do setsid sleep 600 & done
wait`
	program := exec.Command("/bin/sh", "-c", script, "sh", dir)
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	full := func() bool {
		n, err := os.ReadFile(filepath.Join(dir, "pids.current"))
		return err == nil && strings.TrimSpace(string(n)) == "8"
	}
	if !poll.Until(full) {
		t.Error("the group has not filled")
	}
	// The shell and those that it could start; threads of it there are none.
	if !exceeds(dir, 4) || exceeds(dir, 8) {
		t.Errorf("more than 4 processes: %v; more than 8: %v", exceeds(dir, 4), exceeds(dir, 8))
	}
	EndGroup(dir)
	if exceeds(dir, 0) {
		t.Error("a group that is gone has processes")
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the group is there yet: %v", err)
	}
	err := program.Wait()
	if exit, ok := err.(*exec.ExitError); !ok || !exit.Sys().(syscall.WaitStatus).Signaled() && exit.ExitCode() == 9 {
		t.Errorf("the program ended with %v", err)
	}
	EndGroup(dir) // gone already
	EndGroup("")
}
