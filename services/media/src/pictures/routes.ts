import * as contract from '@operon/contracts/media/api'
import * as boards from '@operon/contracts/media/boards'
import { readPicture, sharedPage, sweepPictures } from '@operon/contracts/media/events'
import { takesMask } from '@operon/contracts/media/images'
import { DomainError } from '@operon/kit/errors'
import { serve, serveRaw } from '@operon/kit/http'
import { startLane } from '@operon/kit/lanes'
import { boardsOf, createBoard, deleteBoard, listBoards, putOnBoard, renameBoard, restoreBoard } from './boards.ts'
import type { Deps } from './deps.ts'
import { LANE } from './deps.ts'
import { drawPicture } from './draw.ts'
import { readPiece, sendPicture } from './files.ts'
import { editImage, geminiImage, generateImage } from './made.ts'
import { cancelPicture, deletePicture, findPictures, listPictures, pictureStats, restorePicture, savePicture, sweep } from './pictures.ts'
import { publishPicture, sendPublic } from './public.ts'
import { pageOf, sendShared, sharedPicture, sharePicture, unsharePicture } from './shares.ts'
import { batchBegunBy, retryPicture, startPictures, upscalePicture } from './start.ts'

export function pictureRoutes(deps: Deps) {
  const { rt } = deps
  const { app } = rt
  serve(app, contract.startImages, async (ctx, input) => {
    const { reference_ids, mask, ...order } = input
    if (mask && !takesMask(order.model)) throw new DomainError('image_no_mask')
    const brought = { reference_ids, mask: mask === undefined ? undefined : Buffer.from(mask, 'base64') }
    const requestKey = ctx.idempotencyKey && `start-images ${ctx.idempotencyKey}`
    const begun = requestKey ? await batchBegunBy(deps, ctx, requestKey) : []
    // Another model would change more than the part that was marked.
    const asked = { ...order, brought, mayFallBack: !mask, feature: 'image-studio', requestKey }
    const pictures = begun.length ? begun : await startPictures(deps, ctx, asked)
    return { batch_id: pictures[0]!.batch_id, pictures }
  })
  serve(app, contract.generateImage, (ctx, input) => generateImage(deps, ctx, input))
  serve(app, contract.editImage, (ctx, input) => editImage(deps, ctx, input))
  serve(app, contract.geminiImage, (ctx, input) => geminiImage(deps, ctx, input))
  serve(app, contract.upscaleImage, (ctx, input) => upscalePicture(deps, ctx, input))
  serve(app, contract.publishImage, (ctx, input) => publishPicture(deps, ctx, input))
  serve(app, contract.listImages, (ctx, input) => listPictures(deps, ctx, input))
  serve(app, contract.findImages, (ctx, input) => findPictures(deps, ctx, input))
  serve(app, contract.cancelImage, (ctx, input) => cancelPicture(deps, ctx, input))
  serve(app, contract.retryImage, (ctx, input) => retryPicture(deps, ctx, input))
  serve(app, contract.saveImage, (ctx, input) => savePicture(ctx, input))
  serve(app, contract.deleteImage, (ctx, input) => deletePicture(ctx, input))
  serve(app, contract.restoreImage, (ctx, input) => restorePicture(ctx, input))
  serve(app, contract.shareImage, (ctx, input) => sharePicture(deps, ctx, input))
  serve(app, contract.unshareImage, (ctx, input) => unsharePicture(ctx, input))
  serve(app, contract.sharedImage, (ctx, input) => sharedPicture(deps, ctx, input))
  serve(app, boards.listBoards, (ctx) => listBoards(deps, ctx))
  serve(app, boards.createBoard, createBoard)
  serve(app, boards.renameBoard, renameBoard)
  serve(app, boards.deleteBoard, deleteBoard)
  serve(app, boards.restoreBoard, restoreBoard)
  serve(app, boards.putOnBoard, putOnBoard)
  serve(app, boards.boardsOfImage, boardsOf)
  serve(app, contract.imageStats, (ctx) => pictureStats(ctx))
  serveRaw(app, contract.openPicture, (ctx, input, reply) => sendPicture(deps, ctx, input, reply))
  serveRaw(app, contract.openPublic, (ctx, input, reply) => sendPublic(deps, ctx, input, reply))
  serveRaw(app, contract.openShared, (ctx, input, reply, request) => sendShared(deps, ctx, input, reply, request))

  rt.answer(sharedPage, (ctx, input) => pageOf(deps, ctx, input))
  rt.answer(readPicture, (ctx, input) => readPiece(deps, ctx, input))

  rt.job(sweepPictures, (ctx) => sweep(deps, ctx), { everyMs: 600_000 })
  const { MEDIA_WIDTH: width, MEDIA_PER_PERSON: perTenant, MEDIA_LEASE_MS: leaseMs } = rt.config
  rt.onStart(() => {
    const lane = startLane(rt.db, rt.log, { lane: LANE, width, perTenant, leaseMs, renews: true }, (item) => drawPicture(deps, item))
    rt.onStop(lane.stop)
  })
}
