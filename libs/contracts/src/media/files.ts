import { fileContracts } from '../files.ts'

// Uploads that resume, the list of files, and links to them. The names differ from marketplace's, since the web app knows all calls together.

export const {
  createUpload: createMediaUpload,
  uploadOffset: mediaUploadOffset,
  continueUpload: continueMediaUpload,
  deleteUpload: deleteMediaUpload,
  listFiles: listMediaFiles,
  linkFile: linkMediaFile,
  revokeLink: revokeMediaLink,
  openLink: openMediaLink,
} = fileContracts('media')
