package sim_test

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestRedealFindsReadyHands checks that in practice players who have declared
// ready are dealt other ready hands, such as could not have won before.
func TestRedealFindsReadyHands(t *testing.T) {
	t.Parallel()
	r := load(t, "ema_2016")
	hands, kept, won, window, pairs := 0, 0, 0, 0, 0
	var waits tile.Set
	for seed := range uint64(sample(12, 500)) {
		table := sim.NewTable(r, seed)
		for n := 0; !table.Over(); {
			if table.Phase() == sim.PhaseDeal {
				table.StartHand(nil)
				continue
			}
			asked := table.Asked()
			for p := range sim.Player(4) {
				if !asked.Has(p) {
					continue
				}
				v := table.View(p)
				if n++; n%3 == 0 && table.Phase() != sim.PhaseDeclare {
					d := v.Redeal(seed)
					if err := keeping(v, &table, seed); err != nil {
						t.Fatal(err)
					}
					for q := range sim.Player(4) {
						if q == p || v.Ready(q) == sim.NotReady {
							continue
						}
						hands++
						waits |= d.View(q).Waits()
						if d.View(q).Hand() == table.View(q).Hand() {
							kept++
						}
						dealt := d.View(q).Hand()
						if dealt.AtLeast(3) == 0 && bits.OnesCount64(uint64(dealt.AtLeast(2))) == 6 {
							pairs++
						}
						if d.View(q).Waits()&passedSince(v, q) != 0 {
							won++
						}
						// The tile in the window is not passed yet: he may be one who wins on it.
						if table.Phase() == sim.PhaseClaim && v.Turn() != q && d.View(q).Waits().Has(v.ClaimableTile().Kind()) {
							window++
						}
					}
				}
				if _, err := table.Step(p, closed.Act(v), nil); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	t.Logf("%d ready hands re-dealt, %d kept, %d of pairs, %d with a wait that was let pass, %d with a wait for the tile in the window", hands, kept, pairs, won, window)
	if hands < 100 {
		t.Fatal("too few ready hands to tell")
	}
	if window*200 < hands {
		t.Errorf("of %d ready hands %d wait for the tile that may be claimed; want 1 in 200 at least", hands, window)
	}
	if waits != tile.All {
		t.Errorf("no ready hand waits for %v", tile.All&^waits)
	}
	if pairs*20 < hands {
		t.Errorf("of %d ready hands %d are seven pairs; want 1 in 20 at least", hands, pairs)
	}
	if kept*100 > hands || won*100 > hands {
		t.Errorf("of %d ready hands %d were kept and %d could have won before; want under 1 in 100 each", hands, kept, won)
	}
}

// keeping checks what Redeal does when it finds no ready hand for somebody: ready
// players keep their tiles, the others are dealt new ones.
func keeping(v sim.View, table *sim.Table, seed uint64) error {
	d := v.RedealKeeping(seed)
	if tilesOf(&d) != fullSet(v.Rules()) {
		return fmt.Errorf("tiles are not conserved: %v", tilesOf(&d))
	}
	for q := range sim.Player(4) {
		if v.Ready(q) != sim.NotReady && d.View(q).Hand() != table.View(q).Hand() {
			return fmt.Errorf("ready player %d does not keep the tiles", q)
		}
	}
	if diff := look(v).differs(look(d.View(v.Player()))); diff != "" {
		return fmt.Errorf("player %d sees hidden tiles: %s", v.Player(), diff)
	}
	return nil
}

// passedSince returns the kinds discarded since player q's declaration, that of
// the window left out.
func passedSince(v sim.View, q sim.Player) (set tile.Set) {
	n := v.NumDiscards()
	if v.Phase() == sim.PhaseClaim {
		n--
	}
	since := false
	for i := range n {
		d := v.Discard(i)
		since = since || d.Player == q && d.Ready
		if since {
			set |= d.Tile.Kind().Bit()
		}
	}
	return set
}

// TestRedealAfterKan checks that who is dealt a hand that waits for the tile of an
// added kan counts as having passed it, until he draws, and that a riichi hand does
// not wait for it.
func TestRedealAfterKan(t *testing.T) {
	// North is left with four tiles, West adds the fourth 6p.
	const pons = `
		E discard 1z
		N pon
		N discard spare
		E discard 2z
		N pon
		N discard spare
		E discard 3z
		N pon
		N discard spare`
	const kans = `
		N 11z22z33z45p99m
		draws 2z3z6p5z5z5z6p` + pons + `
		E discard 6p
		W pon
		W discard spare
		until W
		W added_kan 6p`
	const kan = `
		E | 1z
		W 66p` + kans + `
		? asked N`
	// South has declared riichi, after a chi of East's.
	const ready = `
		E 24m | 6p
		S 23488m45p234678s
		W 66p
		draws 3m9m6p
		E discard 6p
		W pon
		W discard spare
		N discard drawn
		E chi mid
		E discard spare
		S ready drawn
		until W
		W added_kan 6p`
	// The same kan of West's, after which East has a turn by a pon.
	const later = `
		E 88s | 1z
		W 66p8s` + kans + `
		N pass
		W discard 8s
		E pon
		? turn E`
	// East adds the fourth 6p in the turn after North's discard.
	const next = `
		E 66p | 1z
		N 11z22z33z45p99m
		draws 2z3z5z6p5z5z5z6p` + pons + `
		E discard drawn
		S discard 6p
		E pon
		E discard spare
		until E
		E added_kan 6p
		N pass
		? turn E`
	twoCharacters, sixDots := tile.Kind(1), tile.Kind(14)
	// waits deals anew for who is asked and tells how often a player waits for a kind,
	// and how often that is locked.
	waits := func(text string, q sim.Player, k tile.Kind, seeds uint64, knobs ...string) (n, locked int) {
		t.Helper()
		lines := "rinshan 7z\n"
		for _, k := range knobs {
			lines += "with " + k + "\n"
		}
		p := newScript(t, "kan passed", lines+text).run(t, "ema_2016")
		asked := p.table.Asked().First()
		for seed := range seeds {
			d := p.table.View(asked).Redeal(seed)
			if v := d.View(q); v.Waits().Has(k) && v.Waits()&v.River(q) == 0 {
				n++
				if v.Furiten(k) {
					locked++
				}
			}
		}
		return n, locked
	}
	const seeds = 20000
	if n, locked := waits(kan+"\nN pass", 3, sixDots, seeds); n == 0 || locked != n {
		t.Errorf("of %d hands that could have robbed the kan %d are locked", n, locked)
	}
	for _, text := range []string{later, next} {
		if n, locked := waits(text, 3, sixDots, seeds); n == 0 || locked != n {
			t.Errorf("of %d hands that could have robbed the kan before %d are locked", n, locked)
		}
	}
	other := strings.NewReplacer("45p", "12s", "? asked N", "").Replace(kan)
	if n, locked := waits(other, 3, sixDots, seeds); n == 0 || locked != n {
		t.Errorf("of %d hands that could have robbed the kan, of a player who could not, %d are locked", n, locked)
	}
	if n, locked := waits(kan+"\nN pass", 3, sixDots, seeds, "pass_lock_on_rob = false"); n == 0 || locked == n {
		t.Errorf("where passing a kan locks nobody %d of %d hands are locked", locked, n)
	}
	if n, _ := waits(ready+"\nS pass", 1, sixDots, 500); n > 0 {
		t.Errorf("%d of 500 riichi hands could have robbed the kan", n)
	}
	if n, _ := waits(ready+"\nS pass", 1, twoCharacters, 500); n == 0 {
		t.Error("no riichi hand waits for a tile that lies in a chi")
	}
	if n, _ := waits(ready, 1, sixDots, 500, "rob_added_kan = false"); n == 0 {
		t.Error("where no kan can be robbed no riichi hand waits for its tile")
	}
}

// TestRedealPrivateWalls deals anew where each player draws from a wall of his own
// (mcr 2.15): no tile is lost, and the next tiles of all walls are other ones.
func TestRedealPrivateWalls(t *testing.T) {
	table := sim.NewTable(load(t, "botzone"), 3)
	table.StartHand(nil)
	for range 12 {
		p := table.Asked().First()
		if _, err := table.Step(p, passive{}.Act(table.View(p)), nil); err != nil {
			t.Fatal(err)
		}
	}
	var changed sim.Players
	for seed := range uint64(20) {
		d := table.View(table.Asked().First()).Redeal(seed)
		if tilesOf(&d) != fullSet(table.Rules()) {
			t.Fatalf("tiles are not conserved: %v", tilesOf(&d))
		}
		for p := range sim.Player(4) {
			var before, after [8]tile.Face
			if n, m := table.NextTiles(p, before[:]), d.NextTiles(p, after[:]); n != m {
				t.Errorf("player %d has %d tiles to draw, before %d", p, m, n)
			}
			if before != after {
				changed |= p.Bit()
			}
		}
	}
	if changed.Len() != sim.NumPlayers {
		t.Errorf("the walls of the players %04b alone are dealt anew", changed)
	}
}

// unrobbed returns the kinds of the kans of others that player p could have robbed
// when so many discards had been made.
func unrobbed(t *sim.Table, p sim.Player, discards int) (set tile.Set) {
	v, r := t.View(p), t.Rules()
	for q := range sim.Player(4) {
		for i := range v.NumMelds(q) {
			m := v.Meld(q, i)
			open := m.Type == hand.AddedKan && r.RobAddedKan || m.Type == hand.ClosedKan && r.RobClosedKan == ruleset.RobClosedAlways
			if q != p && r.PassLockOnRob && open && t.KanAt(q, i) == discards {
				set |= m.Kind.Bit()
			}
		}
		for i := range v.Norths(q) {
			if q != p && r.PassLockOnRob && r.RobKita == ruleset.RobKitaAlways && t.NorthAt(q, i) == discards {
				set |= tile.North.Bit()
			}
		}
	}
	return set
}

// TestHiddenKanBeingRobbed checks who knows the kind of a closed kan that the
// rules hide while thirteen orphans may rob it: its owner and the robber.
func TestHiddenKanBeingRobbed(t *testing.T) {
	p := newScript(t, "hidden kan", `
		with closed_kan_visible = false
		S 119m19p19s123456z
		E 7777z
		E closed_kan 7z
		? phase rob
		? asked S`).run(t, "mahjong_soul")
	for q, want := range []tile.Face{tile.Face(tile.Red), tile.Face(tile.Red), tile.NoFace, tile.NoFace} {
		if got := p.table.View(sim.Player(q)).ClaimableTile(); got != want {
			t.Errorf("player %d sees %v in the window, want %v", q, got, want)
		}
	}
	for seed := range uint64(20) {
		d := p.table.View(1).Redeal(seed)
		if m := d.View(0).Meld(0, 0); m.Kind != tile.Red {
			t.Fatalf("the robbed kan became %+v", m)
		}
		if diff := look(p.table.View(1)).differs(look(d.View(1))); diff != "" {
			t.Fatal(diff)
		}
		if _, err := d.Step(1, sim.ActWin, nil); err != nil {
			t.Fatal(err)
		}
	}
	// Once it is not robbed, its kind may be any.
	p.must(t, "S pass")
	seen := map[tile.Kind]bool{}
	for seed := range uint64(100) {
		p := p.table
		if _, err := p.Step(0, sim.ActDiscardDrawn, nil); err != nil {
			t.Fatal(err)
		}
		for p.Phase() == sim.PhaseClaim {
			for q := range sim.Player(4) {
				if p.Asked().Has(q) {
					if _, err := p.Step(q, sim.ActPass, nil); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		d := p.View(1).Redeal(seed)
		m := d.View(0).Meld(0, 0)
		seen[m.Kind] = true
		if red := m.Kind.IsFive(); red != (m.Reds == 1) {
			t.Errorf("of the tiles of a kan of %v %d are red", m.Kind, m.Reds)
		}
	}
	if len(seen) < 2 {
		t.Errorf("the hidden kan is always %v", seen)
	}
}

// TestRedealKeepsOwnKan checks that who has laid down a kan whose kind the rules hide
// has the same kan in every re-deal of his.
func TestRedealKeepsOwnKan(t *testing.T) {
	p := newScript(t, "own kan", `
		with closed_kan_visible = false
		E 7777z
		E closed_kan 7z
		? turn E`).run(t, "mahjong_soul")
	want := tilesOf(&p.table)
	for seed := range uint64(20) {
		d := p.table.View(0).Redeal(seed)
		if m := d.View(0).Meld(0, 0); m.Kind != tile.Red || tilesOf(&d) != want {
			t.Fatalf("the kan became %+v, the tiles %v", m, tilesOf(&d))
		}
	}
}

func faces(t *testing.T, text string) []tile.Face {
	t.Helper()
	list, err := tile.ParseFaces(text)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestRedealWithoutReadyHand deals anew where no sets and pairs can be made of the
// hidden tiles: who is ready, with thirteen orphans, keeps his tiles, and the others
// and the wall have the rest of them.
func TestRedealWithoutReadyHand(t *testing.T) {
	p := newScript(t, "no ready hand", "E | 5s\ndora 5p\n? turn E").run(t, "ema_2016")
	orphans := faces(t, "19m19p19s1234567z")
	p.table.Lay([4][]tile.Face{
		faces(t, "222m222p222s55m888s"), orphans, faces(t, "3m"), faces(t, "1z"),
	}, faces(t, "467m3467p5p3467s23z"), ruleset.Chair(1).Bit())
	before := tilesOf(&p.table)
	view := p.table.View(0)
	moved := 0
	for seed := range uint64(20) {
		d := view.Redeal(seed)
		if view.RedealInto(new(sim.Table), nil, seed) {
			t.Fatal("a ready hand is found")
		}
		if got := concealed(d.View(1)); !slices.Equal(got, orphans) {
			t.Fatalf("who is ready is dealt %v", got)
		}
		if diff := look(view).differs(look(d.View(0))); diff != "" {
			t.Fatal(diff)
		}
		if tilesOf(&d) != before {
			t.Fatalf("the tiles were %v and are %v", before, tilesOf(&d))
		}
		if d.View(2).Hand() != p.table.View(2).Hand() && d.WallTiles()[0] != p.table.WallTiles()[0] {
			moved++
		}
	}
	if moved < 10 {
		t.Errorf("other tiles are dealt anew in %d of 20 re-deals", moved)
	}
}

// TestRedealBeforeFirstDraw deals anew while players are asked whether they declare
// ready before the first draw, where the dealer has been dealt an extra tile: it is one
// of those he is dealt now, and he may discard it. Who is dealt no ready hand is not
// asked any more.
func TestRedealBeforeFirstDraw(t *testing.T) {
	p := newScript(t, "extra tile", `
		with dealer_extra_tile = "dealt"
		S 111222333444m55p11z
		W 111222333444s66p22z
		? phase ready
		? asked S W`).run(t, "hkma_hktw")
	want := tilesOf(&p.table)
	for seed := range uint64(20) {
		d := p.table.View(1).Redeal(seed)
		if tilesOf(&d) != want {
			t.Fatalf("the tiles are %v", tilesOf(&d))
		}
		if _, err := d.Step(1, sim.ActPass, nil); err != nil {
			t.Fatal(err)
		}
		v := d.View(0)
		h := v.Hand()
		if d.Phase() != sim.PhaseTurn || h.Count(v.Drawn().Kind()) == 0 {
			t.Fatalf("the dealer has drawn %v and holds %v", v.Drawn(), concealed(v))
		}
		if h.Remove(v.Drawn().Kind()); v.Waits() != d.Rules().Waits(&h, 0) {
			t.Fatalf("the dealer waits for %v without the tile drawn", v.Waits())
		}
		if _, err := d.Step(0, sim.ActDiscardDrawn, nil); err != nil {
			t.Fatal(err)
		}
		if tilesOf(&d) != want {
			t.Fatalf("after the first discard the tiles are %v", tilesOf(&d))
		}
	}
}

// TestRedealAfterClosedKan checks whom a closed kan locks that nobody may rob, or
// only thirteen orphans: no other hand that waits for its kind, though all of it lies
// open.
func TestRedealAfterClosedKan(t *testing.T) {
	const text = `
		rinshan 7z
		E | 1z
		W 666p
		N 11z22z33z45p99m
		draws 2z3z5z5z6p
		E discard 1z
		N pon
		N discard spare
		E discard 2z
		N pon
		N discard spare
		E discard 3z
		N pon
		N discard spare
		until W
		W closed_kan 6p
		? turn W`
	sixDots := tile.Kind(14)
	for _, rob := range []string{"never", "orphans"} {
		p := newScript(t, rob, "with rob_closed_kan = \""+rob+"\""+text).run(t, "ema_2016")
		n, locked := 0, 0
		for seed := range uint64(3000) {
			d := p.table.View(2).Redeal(seed)
			if v := d.View(3); v.Waits().Has(sixDots) && v.Waits()&v.River(3) == 0 {
				if n++; v.Furiten(sixDots) {
					locked++
				}
			}
		}
		if n == 0 || locked != 0 {
			t.Errorf("rob_closed_kan = %s: of %d hands that wait for the tile of the kan %d are locked", rob, n, locked)
		}
	}
}

// TestRedealKeepsViewer checks that the viewer is locked as he was, though with the hand
// he has since a claim he would not be.
func TestRedealKeepsViewer(t *testing.T) {
	v := newScript(t, "viewer", `
		with river_lock = "off"
		with pass_lock_ends = "own_draw"
		E | 5m
		N 46m345p678p99s111z
		draws 2z9s1z
		E discard 5m
		? N may ron
		S discard drawn
		W discard drawn
		N pon
		N discard 4m
		E discard drawn
		? asked N
		? waits N 6m`).run(t, "ema_2016").table.View(3)
	d := v.Redeal(1)
	if six := tile.Kind(5); !v.Furiten(six) || !d.View(3).Furiten(six) {
		t.Errorf("the viewer may win on 6m: %v, after a re-deal %v; want never", !v.Furiten(six), !d.View(3).Furiten(six))
	}
}

// TestRelockPon works out again which pons a player has let pass: until he draws they
// stay so through a claim of his own, until he discards they do not.
func TestRelockPon(t *testing.T) {
	for _, ends := range []string{"own_draw", "own_discard"} {
		p := newScript(t, ends, `
			with pon_pass = "`+ends+`"
			E | 5m
			N 55m68p123456s99p7z
			draws 2z7p9p
			E discard 5m
			? N may pon
			S discard drawn
			W discard drawn
			N chi mid
			N discard 7z
			E discard drawn
			? asked N`).run(t, "ema_2016")
		if diff := p.table.Relocked(3); diff != "" {
			t.Errorf("until %s: %s", ends, diff)
		}
	}
}

// TestRedealLikGu checks that ready hands of seven pairs and three alike are dealt
// where the rules know them.
func TestRedealLikGu(t *testing.T) {
	p := newScript(t, "lik gu", "E | 5s\n? turn E").run(t, "hkma_hktw")
	var hands [4][]tile.Face
	for q := range hands {
		hands[q] = concealed(p.table.View(sim.Player(q)))
	}
	p.table.Lay(hands, p.table.WallTiles(), ruleset.Chair(1).Bit())
	pairs := 0
	for seed := range uint64(500) {
		d := p.table.View(0).Redeal(seed)
		if h := d.View(1).Hand(); h.AtLeast(2).Len() >= 7 {
			pairs++
		}
	}
	if pairs < 10 {
		t.Errorf("of 500 ready hands %d are pairs", pairs)
	}
}

// TestRedealLikGuWithoutTriplet deals anew where the hidden tiles are pairs that make
// no sequence: neither sets nor three alike, which a lik gu needs, so that who is ready
// keeps his tiles.
func TestRedealLikGuWithoutTriplet(t *testing.T) {
	p := newScript(t, "pairs alone", "E | 5s\n? turn E").run(t, "hkma_hktw")
	ready := faces(t, "114477m114477p1144s")
	p.table.Lay([4][]tile.Face{concealed(p.table.View(0)), ready, faces(t, "1z"), faces(t, "2z")},
		faces(t, "3z"), ruleset.Chair(1).Bit())
	for seed := range uint64(5) {
		d := p.table.View(0).Redeal(seed)
		if got := concealed(d.View(1)); !slices.Equal(got, ready) {
			t.Fatalf("who is ready is dealt %v", got)
		}
	}
}
