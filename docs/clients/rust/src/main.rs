//! Plays a match for all four players, always by the first legal action, and prints their points.
//!
//!     cargo run 127.0.0.1:50051
use env::{Act, Open, PlayRequest, RowFlag::Asked, env_service_client::EnvServiceClient, open::Rules};
use env::{play_request::Request, play_response::Response};

mod env {
    tonic::include_proto!("sparrowhall.env.v1");
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address = std::env::args().nth(1).ok_or("usage: client ADDRESS")?;
    let client = EnvServiceClient::connect(format!("http://{address}")).await?;
    let (requests, queue) = tokio::sync::mpsc::channel(1);
    let send = async |r| requests.send(PlayRequest { request_id: 0, request: Some(r) }).await;
    let rules = Some(Rules::Preset("zung_jung".into()));
    send(Request::Open(Open { rules, tables: 1, seed: 2, ..Default::default() })).await?;
    // A batch of many rows has more than the usual 4 MB.
    let mut client = client.max_decoding_message_size(usize::MAX);
    let mut answers = client.play(tokio_stream::wrappers::ReceiverStream::new(queue)).await?.into_inner();
    while let Some(answer) = answers.message().await? {
        let batch = match answer.response {
            Some(Response::Batch(batch)) => batch,
            Some(Response::Error(error)) => return Err(error.message.into()),
            _ => continue, // Opened, which a batch follows
        };
        let mut act = Act::default();
        for row in (0..batch.rows as usize).filter(|&row| batch.flags[row] & Asked as u8 != 0) {
            let legal = |a: &u8| batch.mask[23 * row + (a / 8) as usize] >> (a % 8) & 1 == 1;
            act.table.extend(&batch.table[4 * row..][..4]);
            act.player.push(batch.player[row]);
            act.step.extend(&batch.step[4 * row..][..4]);
            act.action.push((0..184).find(legal).ok_or("a row without a legal action")?);
        }
        if !act.action.is_empty() {
            send(Request::Act(act)).await?;
            continue;
        }
        let mut points = vec![0; 4];
        for (row, p) in batch.last_row.chunks(4).zip(batch.last_points.chunks(4)) {
            let row = u32::from_le_bytes(row.try_into()?) as usize;
            points[batch.player[row] as usize] = i32::from_le_bytes(p.try_into()?);
        }
        println!("{}", points.iter().map(i32::to_string).collect::<Vec<_>>().join(" "));
        break;
    }
    Ok(())
}
