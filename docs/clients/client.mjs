// Plays a match for all four players, always by the first legal action, and prints their points.
//
//   npm install @grpc/grpc-js @grpc/proto-loader
//   node client.mjs ENV.PROTO 127.0.0.1:50051
import grpc from "@grpc/grpc-js";
import loader from "@grpc/proto-loader";

const [proto, address] = process.argv.slice(2);
const { EnvService } = grpc.loadPackageDefinition(loader.loadSync(proto)).sparrowhall.env.v1;
const client = new EnvService(address, grpc.credentials.createInsecure(), {
  "grpc.max_receive_message_length": -1, // a batch of many rows has more than the usual 4 MB
});
const stream = client.Play();

// firstLegal returns the lowest action in the mask of a row: bit a % 8 of byte a / 8.
function firstLegal(mask, row) {
  let a = 0;
  while (!((mask[23 * row + (a >> 3)] >> a % 8) & 1)) a++;
  return a;
}

function fail(error) {
  console.error(error.message);
  process.exit(1);
}

stream.on("data", ({ batch, error }) => {
  if (error) return fail(error);
  if (!batch) return; // Opened, which a batch follows
  const rows = [...Array(batch.rows).keys()].filter((row) => batch.flags[row] & 1); // ASKED
  if (rows.length > 0) {
    const words = (column) => Buffer.concat(rows.map((row) => column.subarray(4 * row, 4 * row + 4)));
    const act = {
      table: words(batch.table),
      player: Buffer.from(rows.map((row) => batch.player[row])),
      step: words(batch.step),
      action: Buffer.from(rows.map((row) => firstLegal(batch.mask, row))),
    };
    return stream.write({ act });
  }
  const points = [];
  for (let i = 0; i < batch.lastRow.length / 4; i++) {
    points[batch.player[batch.lastRow.readUInt32LE(4 * i)]] = batch.lastPoints.readInt32LE(4 * i);
  }
  console.log(points.join(" "));
  stream.end();
});
stream.on("error", fail);
stream.write({ open: { preset: "zung_jung", tables: 1, seed: 2 } });
