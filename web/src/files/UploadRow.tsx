import { Pause, Play, X } from 'lucide-react'
import { cancelUpload, pauseUpload, resumeUpload, type Upload } from '../api/uploads.ts'
import { IconButton } from '../ui/Button.tsx'
import { cx } from '../ui/cx.ts'
import { fileSize } from '../ui/format.ts'

const words: Record<Upload['state'], (percent: number) => string> = {
  sending: (percent) => `${percent}%`,
  waiting: (percent) => `${percent}%, waiting for the connection`,
  paused: (percent) => `${percent}%, paused`,
  choose: (percent) => `${percent}% is here. Choose the file again to continue`,
  failed: () => 'Stopped',
}

/** A file on its way, with its progress: it can be paused, continued and given up. */
export function UploadRow({ upload }: { upload: Upload }) {
  const percent = upload.bytes ? Math.floor((upload.sent / upload.bytes) * 100) : 0
  return (
    <li className="px-4 py-2.5 text-13">
      <div className="flex items-center gap-3">
        <span className="min-w-0 flex-1">
          <span className="block truncate">{upload.name}</span>
          <span className={cx('block text-12', upload.state === 'failed' ? 'text-bad' : 'text-faint')} role="status">
            {upload.problem ?? words[upload.state](percent)}
          </span>
        </span>
        <span className="font-mono text-12 text-faint tabular">{fileSize(upload.bytes)}</span>
        {upload.state === 'sending' || upload.state === 'waiting' ? (
          <IconButton label={`Pause ${upload.name}`} onClick={() => void pauseUpload(upload.key)}>
            <Pause />
          </IconButton>
        ) : null}
        {upload.state === 'paused' ? (
          <IconButton label={`Continue ${upload.name}`} onClick={() => resumeUpload(upload.key)}>
            <Play />
          </IconButton>
        ) : null}
        <IconButton label={`Cancel ${upload.name}`} onClick={() => void cancelUpload(upload)}>
          <X />
        </IconButton>
      </div>
      <progress
        aria-label={`Upload of ${upload.name}`}
        value={upload.sent}
        max={Math.max(1, upload.bytes)}
        className="upload mt-1.5 w-full"
      />
    </li>
  )
}
