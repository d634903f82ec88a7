package segment

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// fileName is the name of the file of a segment in /proc.
const fileName = "sparrowhall"

// file is the open file of a segment; -1 once it is closed.
type file int

// Create makes a segment. Its memory is allocated at once and its size is sealed, so
// the server may access all of it at any time. A client may punch holes into its own
// segment, which read as zeros and are allocated again when the server writes there.
func Create(l *Layout) (*Segment, error) {
	if _, err := rand.Read(l.Token[:]); err != nil {
		return nil, err
	}
	fd, err := unix.MemfdCreate(fileName, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("segment: no file in memory can be made: %w", err)
	}
	s := &Segment{Layout: *l, file: file(fd)}
	err = func() error {
		// This grows the file, and fails without effect if there is too little memory.
		if err := unix.Fallocate(fd, 0, 0, int64(l.Size)); err != nil {
			return fmt.Errorf("segment: no room for %d bytes of shared memory: %w", l.Size, err)
		}
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL); err != nil {
			return fmt.Errorf("segment: its size cannot be fixed: %w", err)
		}
		if s.memory, err = unix.Mmap(fd, 0, int(l.Size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
			return fmt.Errorf("segment: it cannot be mapped: %w", err)
		}
		return l.write(s.memory)
	}()
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Path returns the path for the client: a file descriptor of the server in /proc, which
// only its user can open.
func (s *Segment) Path() string { return fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), s.file) }

// Open maps a segment that a server has made.
func Open(path string, size uint64, token []byte) (*Segment, error) {
	// In another container the path may lead to any file of another process.
	if name, err := os.Readlink(path); err != nil {
		return nil, err
	} else if !strings.HasPrefix(name, "/memfd:"+fileName) {
		return nil, fmt.Errorf("segment: %s is not a segment; does the server run in another container?", path)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if size < headerSize || uint64(info.Size()) != size {
		return nil, fmt.Errorf("segment: %s has %d bytes, not %d", path, info.Size(), size)
	}
	s := &Segment{file: -1}
	if s.memory, err = unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
		return nil, err
	}
	if err := s.Layout.Read(s.memory); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if string(s.Layout.Token[:]) != string(token) {
		return nil, errors.Join(errors.New("segment: the file is that of another stream"), s.Close())
	}
	return s, nil
}

// CloseFile closes the file; the memory stays mapped. No client can open it then.
func (s *Segment) CloseFile() error {
	if s.file < 0 {
		return nil
	}
	fd := int(s.file)
	s.file = -1
	return unix.Close(fd)
}

// Close closes the file and unmaps the memory, which must not be used any more.
func (s *Segment) Close() error {
	err := s.CloseFile()
	if s.memory != nil {
		err = errors.Join(err, unix.Munmap(s.memory))
		s.memory = nil
	}
	return err
}

// wake wakes the threads that sleep on a word.
func wake(word *uint32) {
	// Not the private form, which does not reach the threads of another process. 1<<30 is all.
	const futexWake = 1
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWake, 1<<30, 0, 0, 0)
}

// sleep sleeps until it is woken while the word is n, or for limit.
func sleep(word *uint32, n uint32, limit time.Duration) {
	// Errors say that the word has changed, or that time or a signal has ended the wait. The caller
	// looks at the word again after each of them.
	const futexWait = 0
	t := unix.NsecToTimespec(int64(limit))
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWait, uintptr(n), uintptr(unsafe.Pointer(&t)), 0, 0)
}
