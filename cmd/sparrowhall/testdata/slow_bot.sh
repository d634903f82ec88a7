# A slow mjai player for tests: it gives up what it draws, thinks for a while at the
# start of every hand, and notes the matches that it begins in the file of its first
# argument.
while read -r line; do
	answer='{"type":"none"}'
	case $line in
	*'"type":"start_game"'*) echo begun >>"$1" ;;
	*'"type":"start_kyoku"'*) sleep 0.02 ;;
	*'"type":"tsumo"'*'"pai":"?"'*) ;;
	*'"type":"tsumo"'*)
		actor=${line#*'"actor":'}
		tile=${line#*'"pai":"'}
		answer='{"type":"dahai","actor":'${actor%%,*}',"pai":"'${tile%%\"*}'","tsumogiri":true}'
		;;
	esac
	echo "$answer"
done
