// Plays matches of sparrowhall's players by majiang-core: away.mjs MATCHES PROGRAM, in a folder
// with @kobalab/majiang-core. Prints the answers and those that the game would drop, and exits
// with status 1 if there are any.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import readline from 'node:readline';

const Majiang = createRequire(process.cwd() + '/')('@kobalab/majiang-core');
const [matches, program] = [Number(process.argv[2]), process.argv[3]];
let answers = 0, refused = 0, failed = 0;

class Player {
  constructor(agent, seed) {
    this.waiting = [];
    this.process = spawn(program, ['bot', 'play', agent, '--protocol', 'majiang', '--seed', seed],
      { stdio: ['pipe', 'pipe', 'inherit'] });
    readline.createInterface({ input: this.process.stdout }).on('line', line => this.waiting.shift()(JSON.parse(line)));
  }
  action(message, answer) {
    this.waiting.push(reply => {
      answers += Object.keys(reply).length;
      if (answer) answer(reply);
    });
    this.process.stdin.write(JSON.stringify(message) + '\n');
  }
}

// allowed reports whether a reply is one that the game carries out.
function allowed(game, name, l, reply) {
  if (reply.dapai) {
    const tile = reply.dapai.replace(/\*$/, '');
    return game.get_dapai().includes(tile) && (tile == reply.dapai || !!game.allow_lizhi(tile));
  }
  if (reply.fulou) return [...game.get_chi_mianzi(l), ...game.get_peng_mianzi(l), ...game.get_gang_mianzi(l)].includes(reply.fulou);
  if (reply.gang) return game.get_gang_mianzi().includes(reply.gang);
  if (reply.hule) return !!(game.model.lunban == l ? game.allow_hule() : game.allow_hule(l));
  return !reply.daopai || name != 'reply_zimo' || !!game.allow_pingju();
}

function check(game) {
  for (const name of ['reply_zimo', 'reply_dapai', 'reply_fulou', 'reply_gang']) {
    const play = game[name];
    game[name] = function (...list) {
      for (let id = 0; id < 4; id++) {
        const reply = game._reply[id] || {};
        if (!allowed(game, name, game.model.player_id.indexOf(id), reply)) {
          refused++;
          console.log(`${name}: ${JSON.stringify(reply)} is refused`);
        }
      }
      return play.apply(game, list);
    };
  }
}

const players = ['value', 'expert', 'value', 'greedy'].map((agent, i) => new Player(agent, i));
for (let match = 0; match < matches; match++) {
  await new Promise(done => {
    const game = new Majiang.Game(players, done);
    game.speed = game.wait = 0;
    check(game);
    game.kaiju();
  });
}
await Promise.all(players.map(p => new Promise(done => {
  p.process.on('exit', status => { failed += status; done(); });
  p.process.stdin.end();
})));
console.log(`majiang: ${matches} matches, ${answers} answers, ${refused} refused`);
process.exit(refused || failed ? 1 : 0);
