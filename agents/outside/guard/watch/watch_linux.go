package watch

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Name is the name, its argument 0, under which this executable is a guard. The
// other arguments are the limits of memory in bytes, of processor time in seconds
// and of processes, each 0 for none, the path of the program, and its words.
const Name = "jansou-guard"

// limited is the name under which this executable limits itself before it becomes
// the program. The arguments are those of the guard.
const limited = "jansou-limit"

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
	if len(os.Args) < 6 {
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
	path, words := args[3], args[4:]
	if args[0] != "0" || args[1] != "0" {
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
	end := func() { ending.Do(func() { go endAll() }) }

	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, subreaper, 1, 0); errno != 0 {
		say("it cannot be watched over: ", errno)
		return 1
	}
	program, err := os.StartProcess(path, words, &os.ProcAttr{
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
		go func() {
			for len(descendants()) <= most {
				time.Sleep(50 * time.Millisecond)
			}
			say("more than ", most, " processes")
			end()
		}()
	}
	for {
		var status syscall.WaitStatus
		var used syscall.Rusage
		switch pid, err := syscall.Wait4(-1, &status, 0, &used); {
		case err == syscall.EINTR:
		case err != nil:
			return 0 // there is none left
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

// endAll ends all descendants, and those they beget meanwhile, until this process
// ends, which it does when there are none left.
func endAll() {
	for {
		for _, pid := range descendants() {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
		}
		time.Sleep(time.Millisecond)
	}
}

// descendants returns the processes that this one has started or adopted, their
// own included.
func descendants() (pids []int) {
	entries, _ := os.ReadDir("/proc") // without it there is nothing to be done
	parents := map[int]int{}
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
		if len(fields) > 1 && fields[0] != "Z" {
			parents[pid], _ = strconv.Atoi(fields[1])
		}
	}
	self := os.Getpid()
	for pid, ancestor := range parents {
		for range len(parents) {
			if ancestor == self || ancestor <= 1 {
				break
			}
			ancestor = parents[ancestor]
		}
		if ancestor == self {
			pids = append(pids, pid)
		}
	}
	return pids
}

// become limits what this process may take, and becomes the program. It returns
// only with an error.
func become(args []string) error {
	for i, resource := range []int{syscall.RLIMIT_AS, syscall.RLIMIT_CPU} {
		n, _ := strconv.ParseUint(args[i], 10, 64) // as package guard has written it
		if n == 0 {
			continue
		}
		if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
			return fmt.Errorf("the limits cannot be set: %w", err)
		}
	}
	return fmt.Errorf("%s: %w", args[3], syscall.Exec(args[3], args[4:], os.Environ()))
}
