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

// Name is the name, its argument 0, under which this executable is a guard. The
// other arguments are the limits of memory in bytes, of processor time in seconds
// and of processes, each 0 for none, the folder of the control group that is the
// program's, empty for none, the path of the program, and its words.
const Name = "sparrowhall-guard"

// limited is the name under which this executable limits itself before it becomes
// the program. The arguments are those of the guard.
const limited = "sparrowhall-limit"

// What a guard is given beyond the standard files: a pipe that ends when the
// program is to be ended, and one to say how the program has ended.
const (
	lifeline = 3
	verdict  = 4
)

// subreaper is PR_SET_CHILD_SUBREAPER of prctl(2).
const subreaper = 36

// Before main, and on the main thread: the program is to be ended with the thread
// that has started it.
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

// watch runs a program and returns when nothing of it is left.
func watch(args []string) int {
	group, path, words := args[3], args[4], args[5:]
	if args[0] != "0" || args[1] != "0" || args[2] != "0" || group != "" {
		path, words = "/proc/self/exe", append([]string{limited}, args...)
	}
	// As package guard has written them.
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
		say("it cannot be watched over: ", errno)
		return 1
	}
	var err error
	program, err = os.StartProcess(path, words, &os.ProcAttr{
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
		// In a group of its own, so that what it sends to its group does not reach
		// the guard.
		Sys: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		say(err)
		return 1
	}
	// The pipes are the program's alone.
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
			hurry()
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
			// Apart from that, as it costs next to nothing: among thousands of processes
			// that all want to run, little work is done soon and much work never.
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
				say("more than ", seconds, " seconds of processor time")
			case status.Signaled():
				say("signal: ", status.Signal())
			case status.ExitStatus() != 0:
				say("exit status ", status.ExitStatus())
			}
			end()
		}
	}
}

// hurry lets the thread of the calling goroutine run before others: a program that
// multiplies leaves a guard one part in thousands of the processor otherwise. It takes
// rights to do so; without them the system itself bounds the program (see become).
func hurry() {
	runtime.LockOSThread()
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, -20)
}

// endAll ends all descendants, and those they beget meanwhile, until this process
// ends, which it does when there are none left. A group of processes ends at once,
// before any of it can beget another; a control group begets none any more.
func endAll(program int, group string) {
	hurry()
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

// descendants returns the processes that this one has started or adopted, their
// own included, and the process groups that nobody else is in.
func descendants() (pids, groups []int) {
	entries, _ := os.ReadDir("/proc") // without it there is nothing to be done
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

// nproc is RLIMIT_NPROC of setrlimit(2), and room how many processes of others
// may come while a program runs before they count as its own.
const (
	nproc = 6
	room  = 4096
)

// become limits what this process may take, and becomes the program. It returns
// only with an error.
func become(args []string) error {
	if args[3] != "" {
		_ = join(args[3]) // as without control groups, where it may not
	}
	for i, resource := range []int{syscall.RLIMIT_AS, syscall.RLIMIT_CPU} {
		n, _ := strconv.ParseUint(args[i], 10, 64) // as package guard has written it
		if n == 0 {
			continue
		}
		if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
			return fmt.Errorf("the limits cannot be set: %w", err)
		}
	}
	if n, _ := strconv.ParseUint(args[2], 10, 64); n > 0 {
		// The system counts all processes and threads of a user together, and does not
		// count root's; so this only keeps a program from multiplying faster than the
		// guard counts.
		var limit syscall.Rlimit
		if n += running() + room; syscall.Getrlimit(nproc, &limit) == nil && n < limit.Max {
			_ = syscall.Setrlimit(nproc, &syscall.Rlimit{Cur: n, Max: n})
		}
	}
	return fmt.Errorf("%s: %w", args[4], syscall.Exec(args[4], args[5:], os.Environ()))
}

// running returns how many processes and threads there are on the machine.
func running() (n uint64) {
	text, _ := os.ReadFile("/proc/loadavg") // "0.10 0.20 0.30 1/234 5678"
	if fields := strings.Fields(string(text)); len(fields) > 3 {
		_, all, _ := strings.Cut(fields[3], "/")
		n, _ = strconv.ParseUint(all, 10, 64)
	}
	return n
}
