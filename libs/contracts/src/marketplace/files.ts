import { fileContracts, pictureCopy } from '../files.ts'

// Files of products: uploads that resume, links to them, and copies of pictures of the Image Studio.

export const { createUpload, uploadOffset, continueUpload, deleteUpload, listFiles, linkFile, revokeLink, openLink } =
  fileContracts('marketplace')
export const fileFromPicture = pictureCopy('marketplace')
