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

// fileName is what the file of a segment is called, which has no other name.
const fileName = "sparrowhall"

// file is the open file of a segment; -1 once it is closed.
type file int

// Create makes a segment. All of its memory is taken at once, and its size can
// never change: what is mapped is there, whatever the client does.
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
		// Without growing it first nothing is taken that is not given.
		if err := unix.Fallocate(fd, 0, 0, int64(l.Size)); err != nil {
			return fmt.Errorf("segment: no room for %d bytes of shared memory: %w", l.Size, err)
		}
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL); err != nil {
			return fmt.Errorf("segment: its size cannot be fixed: %w", err)
		}
		if s.memory, err = unix.Mmap(fd, 0, int(l.Size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
			return fmt.Errorf("segment: it cannot be mapped: %w", err)
		}
		return nil
	}()
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	l.write(s.memory)
	return s, nil
}

// Path returns where the client finds the file: among those that the server has
// open, where nobody but its own user may look.
func (s *Segment) Path() string { return fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), s.file) }

// Open maps the segment that a server has made.
func Open(path string, size uint64, token []byte) (*Segment, error) {
	// Among the files of another process, if it is that, there may be any.
	if name, err := os.Readlink(path); err != nil {
		return nil, err
	} else if !strings.HasPrefix(name, "/memfd:"+fileName) {
		return nil, fmt.Errorf("segment: %s is none of a server's; is it in another container?", path)
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
	if err := s.read(s.memory, token); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// CloseFile takes the file away once both sides have mapped it.
func (s *Segment) CloseFile() error {
	if s.file < 0 {
		return nil
	}
	fd := int(s.file)
	s.file = -1
	return unix.Close(fd)
}

// Close gives the memory back. Nothing of it may be used any more.
func (s *Segment) Close() error {
	err := s.CloseFile()
	if s.memory != nil {
		err = errors.Join(err, unix.Munmap(s.memory))
		s.memory = nil
	}
	return err
}

// wake wakes who sleeps at a word.
func wake(word *uint32) {
	const futexWake = 1
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWake, 1<<30, 0, 0, 0)
}

// sleep sleeps until it is woken while the word is n, or for limit.
func sleep(word *uint32, n uint32, limit time.Duration) {
	const futexWait = 0
	t := unix.NsecToTimespec(int64(limit))
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWait, uintptr(n), uintptr(unsafe.Pointer(&t)), 0, 0)
}
