package watch

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Name is argument 0 of this executable as a guard. The other arguments are the limits of
// memory in bytes, CPU time in seconds and processes, each 0 for none, the folder of the
// control group or "", the path of the program, and its words.
const Name = "sparrowhall-guard"

// limited is argument 0 of this executable when it sets its own limits and then executes the
// program. The other arguments are those of the guard.
const limited = "sparrowhall-limit"

// File descriptors of a guard: a pipe whose end means that the program is to be ended, and
// one that receives how the program has ended.
const (
	lifeline = 3
	verdict  = 4
)

// subreaper is PR_SET_CHILD_SUBREAPER of prctl(2).
const subreaper = 36

// Pdeathsig ends the program with the thread that has started it, so the guard runs before
// main, on the main thread.
func init() {
	if len(os.Args) < 7 {
		return
	}
	switch os.Args[0] {
	case Name:
		os.Exit(watch(os.Args[1:]))
	case limited:
		fmt.Fprintln(os.Stderr, become(os.Args[1:]))
		os.Exit(127)
	}
}

// watch runs a program and returns when all its processes have ended.
func watch(args []string) int {
	group, path, words := args[3], args[4], args[5:]
	if args[0] != "0" || args[1] != "0" || args[2] != "0" || group != "" {
		path, words = "/proc/self/exe", append([]string{limited}, args...)
	}
	seconds, _ := strconv.ParseInt(args[1], 10, 64)
	most, _ := strconv.Atoi(args[2])
	syscall.CloseOnExec(lifeline)
	syscall.CloseOnExec(verdict)
	life, said := os.NewFile(lifeline, "lifeline"), os.NewFile(verdict, "verdict")
	var ending, saying sync.Once
	say := func(what ...any) { saying.Do(func() { fmt.Fprint(said, what...) }) }
	var program *os.Process
	end := func() { ending.Do(func() { go endAll(program.Pid, group) }) }

	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, subreaper, 1, 0); errno != 0 {
		say("the guard cannot become a subreaper: ", errno)
		return 1
	}
	var err error
	program, err = os.StartProcess(path, words, &os.ProcAttr{
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
		// In a process group of its own, so that its signals to the group miss the guard.
		Sys: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		say(err)
		return 1
	}
	// Only the program keeps the pipes open.
	if null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0); err == nil {
		for fd := range 3 {
			_ = syscall.Dup3(int(null.Fd()), fd, 0) // else they stay open a little longer
		}
	}
	go func() {
		_, _ = io.Copy(io.Discard, life) // nothing is ever written there
		end()
	}()
	if most > 0 {
		count := func(tooMany func() bool) {
			raisePriority()
			for !tooMany() {
				time.Sleep(50 * time.Millisecond)
			}
			say("more than ", most, " processes")
			end()
		}
		go count(func() bool {
			pids, _ := descendants()
			return len(pids) > most
		})
		if group != "" {
			// Besides, as it is cheap: among thousands of runnable processes the first count
			// might never finish.
			go count(func() bool { return exceeds(group, most) })
		}
	}
	for {
		var status syscall.WaitStatus
		var used syscall.Rusage
		switch pid, err := syscall.Wait4(-1, &status, 0, &used); {
		case err == syscall.EINTR:
		case err != nil: // there is none left
			EndGroup(group)
			return 0
		case pid == program.Pid:
			switch {
			case seconds > 0 && int64(used.Utime.Sec+used.Stime.Sec)+1 >= seconds && status.Signaled():
				say("more than ", seconds, " seconds of CPU time")
			case status.Signaled():
				say("signal: ", status.Signal())
			case status.ExitStatus() != 0:
				say("exit status ", status.ExitStatus())
			}
			end()
		}
	}
}

// raisePriority raises the priority of the calling goroutine's thread, where this process may: a
// program that multiplies leaves the guard little CPU time otherwise.
func raisePriority() {
	runtime.LockOSThread()
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, -20)
}

// endAll kills all descendants, also those started meanwhile, until this process exits because
// none is left. Killing a whole process group keeps its members from forking.
func endAll(program int, group string) {
	raisePriority()
	_ = syscall.Kill(-program, syscall.SIGKILL) // all of it may have ended
	for {
		if group != "" {
			_ = clearGroup(group) // it is empty when there are no descendants
		}
		pids, groups := descendants()
		for _, group := range groups {
			_ = syscall.Kill(-group, syscall.SIGKILL)
		}
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
		}
		time.Sleep(time.Millisecond)
	}
}

// descendants returns the processes that this one has started or adopted, and the process
// groups that contain only such processes.
func descendants() (pids, groups []int) {
	entries, _ := os.ReadDir("/proc") // without /proc no process can be found
	parents, groupOf := map[int]int{}, map[int]int{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		text, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue // it has ended
		}
		// The second field is a name in parentheses, which may hold anything.
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if len(fields) > 2 && fields[0] != "Z" {
			parents[pid], _ = strconv.Atoi(fields[1])
			groupOf[pid], _ = strconv.Atoi(fields[2])
		}
	}
	self := os.Getpid()
	own := map[int]bool{} // whether all of a group are descendants
	for pid, ancestor := range parents {
		for range len(parents) {
			if ancestor == self || ancestor <= 1 {
				break
			}
			ancestor = parents[ancestor]
		}
		group := groupOf[pid]
		if ancestor == self {
			pids = append(pids, pid)
		}
		if all, seen := own[group]; all || !seen {
			own[group] = ancestor == self
		}
	}
	for group, all := range own {
		if all && group > 1 {
			groups = append(groups, group)
		}
	}
	return pids, groups
}

// nproc is RLIMIT_NPROC of setrlimit(2), room the number of processes that others may start
// while a program runs before they count as its own.
const (
	nproc = 6
	room  = 4096
)

// become limits this process and executes the program in its place. It returns only with an
// error.
func become(args []string) error {
	if args[3] != "" {
		_ = join(args[3]) // without a group if it may not
	}
	for i, resource := range []int{syscall.RLIMIT_AS, syscall.RLIMIT_CPU} {
		n, _ := strconv.ParseUint(args[i], 10, 64)
		if n == 0 {
			continue
		}
		if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
			return fmt.Errorf("the limits cannot be set: %w", err)
		}
	}
	if n, _ := strconv.ParseUint(args[2], 10, 64); n > 0 {
		// The kernel counts all processes of a user together and none of root, so this only
		// slows a program that multiplies faster than the guard counts.
		var limit syscall.Rlimit
		if n += running() + room; syscall.Getrlimit(nproc, &limit) == nil && n < limit.Max {
			_ = syscall.Setrlimit(nproc, &syscall.Rlimit{Cur: n, Max: n})
		}
	}
	return fmt.Errorf("%s: %w", args[4], syscall.Exec(args[4], args[5:], os.Environ()))
}

// running returns the number of processes and threads on the machine.
func running() (n uint64) {
	text, _ := os.ReadFile("/proc/loadavg") // "0.10 0.20 0.30 1/234 5678"
	if fields := strings.Fields(string(text)); len(fields) > 3 {
		_, all, _ := strings.Cut(fields[3], "/")
		n, _ = strconv.ParseUint(all, 10, 64)
	}
	return n
}
